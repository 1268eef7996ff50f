#include "common/domain/profile_capture.h"

namespace mlprof {

std::string_view Name(CaptureLoad load) {
  return load == CaptureLoad::kAlone ? "alone" : "objective";
}

std::optional<CaptureLoad> ParseCaptureLoad(std::string_view name) {
  for (const CaptureLoad load : {CaptureLoad::kAlone, CaptureLoad::kObjective}) {
    if (Name(load) == name) return load;
  }
  return std::nullopt;
}

}  // namespace mlprof
