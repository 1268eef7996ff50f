// What is replayed, and the plans of replays that are made of it. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "common/domain/objective.h"
#include "common/units/bytes.h"
#include "server/analysis/queue_memory.h"
#include "server/profiling/lab/setup.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server {

/// What is replayed, and what is known of it so far. A value.
struct Workload {
  Objective objective;
  std::uint64_t seed = 1;            // of the rows' order
  std::size_t rows = 0;              // of the dataset
  std::set<std::uint32_t> left_out;  // they end the model
  /// The costliest, which no run that judges limits may leave out.
  std::vector<std::uint32_t> heavy = {};
  std::int64_t distinct_rows = 0;  // were replayed
  /// Mean of the rows that were measured one by one.
  std::optional<double> cpu_seconds_per_query = {};
  /// Those rows, from the fastest to the slowest.
  std::vector<std::uint32_t> by_latency = {};
  RowTimes row_times = {};  // theirs, at the ceiling
  /// Each row keeps memory of its own: less than the answer for all of them is no answer.
  bool grows_with_inputs = false;
  /// Rows that were seen are answered from memory: a load is each row once. These stay out of it,
  /// and warm the process up.
  bool each_row_once = false;
  std::vector<std::uint32_t> apart = {};
  /// Of a rate: the requests at once that one arrival in 10,000 exceeds
  /// (server/analysis/in_flight.h).
  int in_flight = 1;
  /// No less may become the answer, whatever a run shows (server/analysis/successors.h).
  Bytes least_memory = {};
  int workers = 0;  // processes that serve, where it is known that there is more than one

  std::size_t rows_left() const { return rows - left_out.size(); }
};

// What the phases replay: the rows' order and the objective's load.

/// A burst of heavy rows ends by then, whatever they take.
inline constexpr std::chrono::seconds kLongestBurst{10};
/// No load is tried with more rows in flight: few servers are asked for more by one client.
inline constexpr int kMostInFlight = 256;

/// The rows' indices in the seeded random order of this profile, without those left out.
std::vector<std::uint32_t> SeededOrder(const Workload& workload);
/// The same rows in a container's own order (server/analysis/row_order.h): what one order happens
/// to do to a model, such as two heavy rows that always meet, must not decide for all containers.
std::vector<std::uint32_t> SeededOrder(const Workload& workload, Seed container);

/// The plan's order from its row number `count` on, counted over and over: what comes after so many
/// requests.
void BeginAt(std::size_t count, ReplayPlan& plan);

/// How long a load goes on: `time`, and longer, up to `longest`, until `min_requests` were sent. A
/// closed loop goes on, up to `until`, where its tail is in doubt.
struct LoadTime {
  std::chrono::nanoseconds time{0};
  std::size_t min_requests = 0;
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds until{0};
};

/// The objective's load. `seed` is the container's, of its order and of random arrivals.
ReplayPlan ObjectivePlan(const Workload& workload, Seed seed, const LoadTime& time);

/// `concurrency` rows in flight for `time`.
ReplayPlan ClosedPlan(const Workload& workload, int concurrency, std::chrono::nanoseconds time);
/// The same in a container's own order.
ReplayPlan ClosedPlan(const Workload& workload, Seed seed, int concurrency,
                      std::chrono::nanoseconds time);

/// The heaviest rows, as many of them at a time as the objective has rows in flight: what may
/// coincide one day should coincide now. Each comes that many times.
ReplayPlan HeavyPlan(const Workload& workload, std::chrono::nanoseconds longest);
/// The same with `at_once` of them at a time.
ReplayPlan HeavyPlan(const Workload& workload, int at_once, std::chrono::nanoseconds longest);

/// The rows in the container's order, as many of them at once as the rate has requests in flight,
/// and no more than that.
ReplayPlan InFlightPlan(const Workload& workload, Seed seed, std::chrono::nanoseconds longest);
/// What they compute, at `cpu`; 0 where no more than one is in flight.
std::chrono::nanoseconds InFlightTime(const Workload& workload, Cores cpu);

/// Requests that the objective's highest percentile takes at 95% confidence.
std::size_t RequestsToSee(const Objective& objective);

}  // namespace mlprof::server
