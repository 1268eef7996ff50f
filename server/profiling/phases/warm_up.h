// Phase "warmUp": rows one at a time until latency and CPU per request are steady.
#pragma once

#include <vector>

#include "server/profiling/phases/ample.h"
#include "server/profiling/phases/need.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {

struct WarmUpFacts {
  bool steady = false;
  std::vector<RequestRecord> serial;  // one at a time, at the ceiling
  Trial trial;
  NeedSeen need;
  std::optional<FailedRows> failed;
};

/// A row that ends the model is left out from then on; see Ample.
PhaseResult<WarmUpFacts> WarmUp(Lab& lab, Ample& ample, Workload workload);

}  // namespace mlprof::server::phases
