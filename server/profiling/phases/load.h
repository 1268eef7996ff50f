// Phase "load": the objective's load in the container at the ceiling. Gives the reference that
// limits are judged beside, and the need.
#pragma once

#include <vector>

#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/need.h"
#include "server/profiling/phases/reference.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {

struct LoadFacts {
  Reference reference;
  double slowest_ms = 0;
  Trial trial;
  NeedSeen need;
  std::optional<FailedRows> failed;
  /// A rate's rows left so late behind their schedule that they tell of the replay, not the model.
  std::optional<double> late_ms;
};

/// `serial`: all requests that were sent one at a time so far.
PhaseResult<LoadFacts> MeasureLoad(Lab& lab, Container& container, const Workload& workload,
                                   std::vector<RequestRecord> serial);

}  // namespace mlprof::server::phases
