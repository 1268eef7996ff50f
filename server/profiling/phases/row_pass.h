// Phase "rows": every row at least once, one at a time, with its CPU time.
#pragma once

#include "common/domain/findings.h"
#include "server/profiling/phases/warm_up.h"

namespace mlprof::server::phases {

struct RowFacts {
  std::vector<RequestRecord> serial;  // one at a time, at the ceiling; the warm-up's too
  std::vector<std::uint32_t> heavy;   // what a verification must not leave out
  std::int64_t distinct = 0;          // rows that were replayed
  bool sampled = false;               // not all fitted
  std::int64_t replayed = 0;          // requests of the first pass
  std::optional<double> cpu_seconds_per_query;
  std::vector<HeavyRow> named;
  std::optional<PayloadCost> payload;
  double slowest_ms = 0;
  Trial trial;
  NeedSeen need;
  std::optional<FailedRows> failed;
};

/// `serial`: the requests of the warm-up. A row that ends the model is left out; see Ample.
PhaseResult<RowFacts> ReplayRows(Lab& lab, Ample& ample, Workload workload,
                                 const std::vector<RequestRecord>& serial);

}  // namespace mlprof::server::phases
