#include "server/profiling/phases/limited_start.h"

#include "common/time/seconds.h"
#include "server/analysis/sentence.h"

namespace mlprof::server::phases {

void AddStart(const agent_protocol::Ready& ready, Measurements& measurements) {
  measurements.start_seconds = Seconds(ready.took);
  measurements.start_cpu_seconds = Seconds(ready.cpu_time);
  measurements.start_peak_memory = ready.peak_unreclaimable;
}

void JudgeStart(const std::optional<agent_protocol::Ready>& ready, const Objective& objective,
                std::chrono::seconds start_timeout, VerificationEvidence& evidence) {
  const auto& within = objective.start_within_seconds;
  if (!within) return;
  if (ready && Seconds(ready->took) > *within) {
    evidence.became_ready = false;
    evidence.start_timed_out = true;
  }
  // Where the config allows less it is the config that ended the start.
  const bool by_objective = *within <= Seconds(start_timeout);
  if (!evidence.start_timed_out || !by_objective) return;
  evidence.start_has_objective = true;
  evidence.death = Sentence("it was not ready within the %.4g s of the objective", *within);
}

}  // namespace mlprof::server::phases
