// Reaching every process of the model that serves: fresh connections, opened and held in flight
// together. What serves rows over one kept-alive connection is one of them; the others may load
// their model at their first row, and take its memory, on the day that they get one.
#pragma once

#include <functional>
#include <optional>

#include "server/analysis/resource_use.h"
#include "server/analysis/worker_coverage.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/reference.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {

/// Bursts of connections, at most: two for each worker in the first pair of them, four in the next,
/// eight from then on. If the kernel chose at random, one of N would be left out by the first with
/// e^-2, and by twelve with less than e^-60. It does not: on a busy machine of two cores one of
/// three workers of threads got none of 24 connections. A worker that never accepts is known after
/// seconds.
inline constexpr int kTries = 12;

/// Of one container. Values.
struct WorkersSeen {
  WorkerCoverage coverage;
  int tries = 0;
  double seconds = 0;      // that reaching them took
  double cpu_seconds = 0;  // likewise
};

/// A burst of rows, as the caller replays them; what came of it.
using ReplayBurst = std::function<ReplayResult(const ReplayPlan& plan)>;

/// Replays bursts until every serving process has burned CPU for a row, the tries are used up or a
/// burst does not end as it should. Nothing where one process serves, or nobody can tell.
std::optional<WorkersSeen> ReachWorkers(Lab& lab, Container& container, const Workload& workload,
                                        const ReplayBurst& replay);

/// In the container at the ceiling. The end of the run where the model ended.
PhaseResult<std::optional<WorkersSeen>> ReachAtCeiling(Lab& lab, Container& container,
                                                       const Workload& workload);

/// How the rows' connections are made where the objective does not say: kept alive, and where more
/// than one process serves with one for each request too.
ConnectionUse ConnectionsFor(const std::optional<WorkersSeen>& seen);

/// `reference` with a look at the objective's load with a connection for each request, without a
/// CPU limit: what that part of a run is judged beside. As it was where the objective does not ask
/// for it, or no request was answered.
Reference LookAtFresh(Lab& lab, Container& container, const Workload& workload,
                      Reference reference);

/// Half of a run's time each, for rows over connections that are kept alive and for rows that have
/// one each; all of it where the objective asks for one kind only.
LoadTime PartOf(const LoadTime& whole, const Objective& objective);
/// `plan` with a connection for each request.
ReplayPlan WithFreshConnections(ReplayPlan plan);

/// How a run's part with a connection for each request went, beside the reference's own looks at
/// such a load. `samples`: of that part.
Verdict JudgeFresh(const Workload& workload, const Reference& reference, const ReplayPlan& plan,
                   const ReplayResult& replay, std::span<const Sample> samples);

/// What a run that passed is worth where a serving process had no row: nothing is proven of it.
Verdict NotReached(const WorkerCoverage& coverage);
/// "2 of 4 serving processes had no row…"
std::string NotReachedText(const WorkerCoverage& coverage);

}  // namespace mlprof::server::phases
