// Phase "searchCpu": the smallest step of CPU that holds the objective, found by changing the limit
// of the running container in place.
#pragma once

#include "common/domain/findings.h"
#include "server/analysis/recommend.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/load.h"

namespace mlprof::server::phases {

/// A limit that failed for its slowest requests alone.
struct TailRefusal {
  Cores cpu;
  Tail tail;
};

struct CpuChoice {
  Cores cpu;
  double throttled_share = 0;  // of the periods, at `cpu`
  CpuCurve curve;              // of the limits that were tried
  std::optional<TailRefusal> tail_refused = {};
  Reference reference;                               // with the looks so far
  std::optional<double> cpu_seconds_per_query = {};  // the least of its probes
};

/// The limit is back at the ceiling afterwards.
PhaseResult<CpuChoice> SearchCpu(Lab& lab, Container& container, const Workload& workload,
                                 const LoadFacts& load, const MeasuredNeed& need);

/// The curve of `choice` with limits that its search had no reason to try: for what-if, and for the
/// knee of a model that scales over cores. The limit is back at the ceiling afterwards.
PhaseResult<CpuCurve> FillCpuCurve(Lab& lab, Container& container, const Workload& workload,
                                   const LoadFacts& load, const MeasuredNeed& need,
                                   const CpuChoice& choice);

}  // namespace mlprof::server::phases
