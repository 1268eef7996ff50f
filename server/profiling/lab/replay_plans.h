// What the phases replay: the rows' order and the objective's load. Pure.
#pragma once

#include <chrono>
#include <vector>

#include "server/profiling/lab/setup.h"
#include "server/profiling/lab/workload.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server {

/// A burst of heavy rows ends by then, whatever they take.
inline constexpr std::chrono::seconds kLongestBurst{10};
/// No load is tried with more rows in flight: few servers are asked for more by one client.
inline constexpr int kMostInFlight = 256;

/// The rows' indices in the seeded random order of this profile, without those left out.
std::vector<std::uint32_t> SeededOrder(const Workload& workload);

/// How long a load goes on: `time`, and longer, up to `longest`, until `min_requests` were sent.
struct LoadTime {
  std::chrono::nanoseconds time{0};
  std::size_t min_requests = 0;
  std::chrono::nanoseconds longest{0};
};

/// The objective's load. `seed` is the container's, of random arrivals.
ReplayPlan ObjectivePlan(const Workload& workload, Seed seed, const LoadTime& time);

/// `concurrency` rows in flight for `time`.
ReplayPlan ClosedPlan(const Workload& workload, int concurrency, std::chrono::nanoseconds time);

/// The heaviest rows, as many of them at a time as the objective has rows in flight: what may
/// coincide one day should coincide now. Each comes that many times.
ReplayPlan HeavyPlan(const Workload& workload, std::chrono::nanoseconds longest);
/// The same with `at_once` of them at a time.
ReplayPlan HeavyPlan(const Workload& workload, int at_once, std::chrono::nanoseconds longest);

/// Requests that the objective's highest percentile takes at 95% confidence.
std::size_t RequestsToSee(const Objective& objective);

}  // namespace mlprof::server
