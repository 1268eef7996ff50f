#include "common/domain/trial.h"

#include <array>

namespace mlprof {
namespace {

constexpr std::array<std::string_view, 13> kPurposeNames = {
    "coldStart",   "warmUp",      "rows",      "load", "verification", "loadCurve",   "cpuProbe",
    "memoryProbe", "threadPools", "tightness", "soak", "arenas",       "deviceMemory"};

}  // namespace

std::string_view Name(TrialPurpose purpose) {
  return kPurposeNames.at(static_cast<std::size_t>(purpose));
}

std::optional<TrialPurpose> ParseTrialPurpose(std::string_view name) {
  for (std::size_t i = 0; i < kPurposeNames.size(); ++i) {
    if (kPurposeNames.at(i) == name) return static_cast<TrialPurpose>(i);
  }
  return std::nullopt;
}

}  // namespace mlprof
