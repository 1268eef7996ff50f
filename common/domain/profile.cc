#include "common/domain/profile.h"

#include <array>

namespace mlprof {
namespace {

constexpr std::array<std::string_view, 9> kStateNames = {"Queued",    "Preparing", "Starting",
                                                         "Profiling", "Verifying", "Succeeded",
                                                         "Failed",    "Canceled",  "TimedOut"};

}  // namespace

std::string_view Name(ProfileState state) {
  return kStateNames.at(static_cast<std::size_t>(state));
}

std::optional<ProfileState> ParseProfileState(std::string_view name) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames.at(i) == name) return static_cast<ProfileState>(i);
  }
  return std::nullopt;
}

namespace {

constexpr std::array<std::string_view, 7> kCauseNames = {
    "requeued",  "storageFailed", "engineLost",       "noRoom",
    "agentLost", "deviceLost",    "deviceMetricsLost"};

}  // namespace

std::string_view Name(RerunCause cause) { return kCauseNames.at(static_cast<std::size_t>(cause)); }

std::optional<RerunCause> ParseRerunCause(std::string_view name) {
  for (std::size_t i = 0; i < kCauseNames.size(); ++i) {
    if (kCauseNames.at(i) == name) return static_cast<RerunCause>(i);
  }
  return std::nullopt;
}

}  // namespace mlprof
