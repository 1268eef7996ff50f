#include "server/profiling/phases/replay_bound.h"

#include <string>

namespace mlprof::phases {

bool WarnIfReplayBound(RunContext& context, double requests_per_second) {
  const auto& replay = context.profile().findings.replay;
  if (!replay || replay->requests_per_second <= 0) return false;
  if (replay->requests_per_second >= kReplayHeadroom * requests_per_second) return false;
  context.recorder.Warn({"replayBound",
                         "this host can replay about " +
                             std::to_string(static_cast<long>(replay->requests_per_second)) +
                             " requests/s at most, which hardly is the rate that was reached or "
                             "asked",
                         "profile on a machine with more cores, or for a lower rate"});
  return true;
}

}  // namespace mlprof::phases
