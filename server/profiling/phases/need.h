// What the replays in the container at the ceiling show of the need. Pure.
#pragma once

#include <span>
#include <vector>

#include "common/domain/trial.h"
#include "server/analysis/recommend.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/lab/container.h"
#include "server/profiling/lab/workload.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// As one replay shows it, and all that the container served before.
struct NeedSeen {
  double cores = 0;  // mean use under the objective's load
  Bytes serving_peak;
  Bytes agent_memory;
  bool noisy = false;  // the host was, until then
};

/// `serial`: all requests that were sent one at a time so far. `other_cores`: what other work used
/// meanwhile, where it was too much to be passed over; the model may have wanted those.
NeedSeen SeeNeed(const Container& container, const Workload& workload, const ReplayResult& replay,
                 const Trial& trial, std::span<const RequestRecord> serial, double other_cores = 0);

/// The need of the start and of all that was seen since, in order: the last cores count, and the
/// largest memory.
MeasuredNeed NeedOf(const MeasuredNeed& start, const Objective& objective,
                    std::span<const NeedSeen> seen);

}  // namespace mlprof::server::phases
