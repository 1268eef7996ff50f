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
  /// Of a rate, at once at most (Workload::in_flight); absent where it was not kept up with.
  std::optional<int> in_flight = {};
  /// A rate's rows left so late behind their schedule that they tell of the replay, not the model.
  std::optional<double> late_ms;
  // When the load ran, on the run's clock.
  std::chrono::nanoseconds began{0};
  std::chrono::nanoseconds ended{0};
};

/// `serial`: all requests that were sent one at a time so far.
PhaseResult<LoadFacts> MeasureLoad(Lab& lab, Container& container, Workload workload,
                                   std::vector<RequestRecord> serial);

/// LoadFacts::late_ms of a load. nullopt where the model used all of its cores: it left none to the
/// agent, and rows leave late by that. Pure.
std::optional<double> LateMs(const Trial& trial);

/// How many requests of the objective's rate are there at once where each takes so long on average;
/// 1 where it has no rate.
int InFlightOf(const Objective& objective, double mean_ms);

}  // namespace mlprof::server::phases
