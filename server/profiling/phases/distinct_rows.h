// The answer for distinct rows, where a model answers rows that it has seen from memory: what its
// load takes is measured in fresh containers, each row once (docs/decisions, 35).
#pragma once

#include "server/profiling/phases/search_cpu.h"
#include "server/profiling/phases/verify.h"
#include "server/profiling/phases/warm_up.h"

namespace mlprof::server::phases {

struct DistinctFacts {
  Reference reference;
  double cores = 0;  // mean use under the objective's load of rows that were never seen
  std::optional<Trial> trial;
};

/// `workload` as a load of distinct rows: each once, some of them apart.
Workload EachRowOnce(Workload workload);

/// The CPU limit to try first. What the limits of a container that has seen all rows show is of
/// its memory alone.
CpuChoice ChooseForDistinctRows(const MeasuredNeed& need, const Limits& ceiling,
                                const Reference& reference);

/// The objective's load of distinct rows in a fresh container at the ceiling; from the first visits
/// of the warm-up where the budget does not hold that.
PhaseResult<DistinctFacts> MeasureDistinctRows(Lab& lab, const Yardstick& yardstick,
                                               const WarmUpFacts& warm_up);

/// Takes the proof back where the dataset has fewer distinct rows than the objective's percentile
/// takes: what held then is not proven.
void KeepToDistinctRows(const Workload& workload, Verification& verification);

}  // namespace mlprof::server::phases
