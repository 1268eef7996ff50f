#include "common/domain/rerun.h"

#include <array>

namespace mlprof {
namespace {

constexpr std::array<std::string_view, 5> kCauseNames = {"requeued", "storageFailed", "engineLost",
                                                         "noRoom", "agentLost"};

}  // namespace

std::string_view Name(RerunCause cause) { return kCauseNames.at(static_cast<std::size_t>(cause)); }

std::optional<RerunCause> ParseRerunCause(std::string_view name) {
  for (std::size_t i = 0; i < kCauseNames.size(); ++i) {
    if (kCauseNames.at(i) == name) return static_cast<RerunCause>(i);
  }
  return std::nullopt;
}

}  // namespace mlprof
