// Phase "rows": every row at least once, one at a time, with its CPU time.
#pragma once

#include "common/domain/findings.h"
#include "server/analysis/memory_savings.h"
#include "server/profiling/phases/reference.h"
#include "server/profiling/phases/warm_up.h"

namespace mlprof::server::phases {

struct RowFacts {
  /// One at a time, at the ceiling, of rows that were visited before; the warm-up's too.
  std::vector<RequestRecord> serial;
  std::vector<std::uint32_t> heavy;  // what a verification must not leave out
  std::int64_t distinct = 0;         // rows that were replayed
  bool sampled = false;              // not all fitted
  std::int64_t replayed = 0;         // requests of the first pass
  std::optional<double> cpu_seconds_per_query;
  std::vector<HeavyRow> named;
  std::vector<RowMemory> memory;  // of those whose rise is known; KeepForSavings()
  std::optional<PayloadCost> payload;
  std::optional<ColdRows> cold;
  std::optional<InputGrowth> growth;
  double slowest_ms = 0;
  Trial trial;
  NeedSeen need;
  std::optional<FailedRows> failed;
};

/// A row that ends the model is left out; see Ample.
PhaseResult<RowFacts> ReplayRows(Lab& lab, Ample& ample, Workload workload,
                                 const WarmUpFacts& warm_up);

/// What every row's first visit takes, whether or not all of them were seen. Pure.
FirstPass FirstPassOf(const WarmUpFacts& warm_up, const RowFacts& rows, std::size_t count);

}  // namespace mlprof::server::phases
