// Phase "warmUp": every row once, for what its first visit costs, and on until latency and CPU per
// request are steady.
#pragma once

#include <vector>

#include "common/domain/findings.h"
#include "server/analysis/memory_plateau.h"
#include "server/profiling/phases/ample.h"
#include "server/profiling/phases/need.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {

/// Every row once, one at a time, attributed, and not in the dataset's order.
struct RowPass {
  ReplayResult replay;
  Timestamp began;
};

struct WarmUpFacts {
  bool steady = false;
  std::vector<RequestRecord> first_visits;  // one at a time, at the ceiling, in the dataset's order
  RequestStretch first_pass;                // when they were made
  /// One at a time, at the ceiling, of rows that were visited before; the first visits where no
  /// others were made.
  std::vector<RequestRecord> serial;
  /// A part of `serial` that phase "rows" need not replay again; absent where rows are quick, or
  /// the model was not warm then.
  std::optional<RowPass> row_pass;
  std::optional<ResponseCache> cache;
  Trial trial;  // of `serial`
  NeedSeen need;
  std::optional<FailedRows> failed;
};

/// What comes next: phase "rows", which may have its pass from the warm-up, or load alone.
enum class WarmUpFor { kRows, kLoad };

/// A row that ends the model is left out from then on; see Ample.
PhaseResult<WarmUpFacts> WarmUp(Lab& lab, Ample& ample, Workload workload, WarmUpFor next);

}  // namespace mlprof::server::phases
