// Phase "loadCurve": more and more rows in flight at the ceiling, up to where more bring nothing.
#pragma once

#include "common/domain/findings.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct CurveFacts {
  LoadCurve curve;
  std::optional<Bytes> memory_per_request;  // one more in flight
  std::optional<int> killed_at;             // so many in flight, more than the objective asks for
  bool replay_bound = false;                // the replay could do no more
  Reference reference;                      // with what was seen here
};

/// The last thing done in the container: what it keeps of so many rows at once is not the
/// objective's need.
PhaseResult<CurveFacts> MeasureLoadCurve(Lab& lab, Container& container, const Workload& workload,
                                         const Reference& reference, double slowest_row_ms,
                                         const std::optional<ReplayCapacity>& capacity);

}  // namespace mlprof::server::phases
