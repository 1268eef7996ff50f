// Phase "sustainedLoad": the most load, from the objective's own on, under which the answer was
// seen to hold the objective, in one more fresh container at exactly its limits.
#pragma once

#include "common/domain/findings.h"
#include "server/profiling/phases/limited_run.h"

namespace mlprof::server::phases {

/// What the containers that proved the answer sustain: the objective's own load.
struct ProvenLoad {
  std::optional<double> requests_per_second;
  std::int64_t requests = 0;  // with the answer's memory so far
};

/// Absent values: nothing more than the proven load was seen to hold.
struct SustainedFacts {
  std::optional<int> concurrency;
  std::optional<double> requests_per_second;
  /// The container did not start, or lost a process, before more than the objective's load was
  /// asked of it at once.
  bool unsteady = false;
  /// That succeeded, of the loads before any that a process did not survive.
  std::int64_t requests = 0;
};

/// Whether it can be measured at all: what the replay can drive is known, there is something to
/// judge by, and the budget holds one more container.
bool CanMeasureSustainedLoad(Lab& lab, const Yardstick& yardstick,
                             const std::optional<ReplayCapacity>& capacity,
                             const ProvenLoad& proven);

/// Measures where it can. What ends the container says nothing of the answer; a stop does, and the
/// caller sees it by the lab.
SustainedFacts MeasureSustainedLoad(Lab& lab, const Yardstick& yardstick, const Limits& answer,
                                    const ReplayCapacity& capacity, const ProvenLoad& proven);

}  // namespace mlprof::server::phases
