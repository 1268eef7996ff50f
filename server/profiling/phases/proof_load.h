// How long the load of a run at limits goes on, so that it proves something. Pure.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "server/analysis/beside_reference.h"
#include "server/analysis/proof_count.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

/// Without an objective for latency: shorter, it would prove nothing
/// (server/analysis/proof_count.h).
inline constexpr std::chrono::milliseconds kLeastReferenceLoad{kQuotaPeriods * 100};
/// A limit far too low shows itself by then.
inline constexpr std::chrono::milliseconds kFirstBlockTime{1100};
/// Beside the periods of the quota, for the last of them. A rest shorter than it shows nothing.
inline constexpr std::chrono::milliseconds kOnePeriod{100};

/// How long a rate's load goes on, beside the requests that it takes: ten seconds; where a latency
/// is asked for, no longer than its queue takes to forget what was before a hundred times
/// (server/analysis/queue_memory.h), and for the periods of the quota.
std::chrono::nanoseconds TimeOfRate(const Workload& workload, Cores cpu);

/// The load of a container that is to prove limits of `cpu`, no longer than `most`. A closed loop
/// ends once it has the requests that its objective takes, p99's where they come in time, and the
/// periods of the quota; a rate has its requests and TimeOfRate.
LoadTime ProofLoad(const Yardstick& yardstick, Cores cpu, std::chrono::nanoseconds most);

/// What a closed loop of `load` goes on with after what it has sent, the rows in the order that
/// `plan` has them, to see a tail that is in doubt; else nullopt. `tail`: of what it has sent,
/// where that is judged.
std::optional<ReplayPlan> RestOf(const ReplayPlan& plan, const LoadTime& load,
                                 const ReplayResult& sent, const std::optional<Tail>& tail);

/// What a closed loop goes on with whose beginning is `begun`, sent in the order of `plan`; a
/// second at least, as the beginning was chosen. nullopt where that is not left: there the load
/// begins anew.
std::optional<ReplayPlan> AfterBeginning(const ReplayPlan& plan, const ReplayResult& begun);

/// The beginning of a load of which a latency is asked, that may be enough: a block of its rows,
/// and a second.
ReplayPlan FirstBlockOf(const ReplayPlan& plan);

/// What such a load goes on with behind its blocks so far, another of them; nullopt where it is
/// whole, or has no time left.
std::optional<ReplayPlan> NextBlock(const ReplayPlan& plan, const ReplayResult& sent);

/// Goes on with block after block by `send`, which adds to `sent`, until the load is whole,
/// `enough` is true, or a block brings nothing.
void SendBlocks(const ReplayPlan& plan, const ReplayResult& sent,
                const std::function<bool()>& enough,
                const std::function<void(const ReplayPlan& block)>& send);

/// Whether what was sent of a closed loop, going on as fast as it began, shows that the whole of it
/// misses a latency that is asked for (server/analysis/missed_latency.h). False where a row failed,
/// whose share the whole load has to tell.
bool HasMissed(const Objective& objective, const ReplayPlan& plan, const ReplayResult& sent);

/// How long the model served, of what `plan` was replayed: an open loop may end before its last
/// stretch without a row is over, and of rows that may come but once the count alone decides.
double ServingSeconds(const ReplayPlan& plan, const ReplayResult& replay);

}  // namespace mlprof::server::phases
