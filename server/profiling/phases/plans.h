// What the phases replay: the rows' order and the objective's load.
#pragma once

#include "server/profiling/run_context.h"

namespace mlprof::phases {

/// The rows' indices in the seeded random order of this profile, without those left out.
std::vector<std::uint32_t> SeededOrder(const RunContext& context);

/// The objective's load for `time`, and longer, up to `longest`, until `min_requests` were sent.
ReplayPlan ObjectivePlan(RunContext& context, std::chrono::nanoseconds time,
                         std::size_t min_requests, std::chrono::nanoseconds longest);

/// `concurrency` rows in flight for `time`.
ReplayPlan ClosedPlan(RunContext& context, int concurrency, std::chrono::nanoseconds time);

/// The heaviest rows, as many of them at a time as the objective has rows in flight: what may
/// coincide one day should coincide now. Each comes that many times.
ReplayPlan HeavyPlan(RunContext& context, std::chrono::nanoseconds longest);

/// Requests that the objective's highest percentile takes at 95% confidence.
std::size_t RequestsToSee(const Objective& objective);

}  // namespace mlprof::phases
