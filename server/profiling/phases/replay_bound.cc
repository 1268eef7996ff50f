#include "server/profiling/phases/replay_bound.h"

#include <string>

namespace mlprof::phases {
namespace {

constexpr double kLeastHeadroom = 1.25;

}  // namespace

bool IsReplayBound(RunContext& context, double requests_per_second) {
  const auto& replay = context.profile().findings.replay;
  if (!replay || replay->requests_per_second <= 0) return false;
  if (replay->requests_per_second >= kLeastHeadroom * requests_per_second) return false;
  context.recorder.Warn({"replayBound",
                         "this host can replay about " +
                             std::to_string(static_cast<long>(replay->requests_per_second)) +
                             " requests/s at most, which hardly is the rate that was reached or "
                             "asked",
                         "profile on a machine with more cores, or for a lower rate"});
  return true;
}

}  // namespace mlprof::phases
