#include "server/profiling/lab/workload.h"

#include <algorithm>
#include <random>

#include "server/analysis/latency.h"
#include "server/analysis/row_order.h"

namespace mlprof::server {
namespace {

// Of a trace; as long as the load at the ceiling and those of the proof, of which shorter loads are
// the beginning.
constexpr std::chrono::seconds kBusiestStretch{10};

// A rate has no fixed number of rows in flight. That two of the heaviest meet is likely; that all
// in flight are of them is not. Chosen, not measured.
constexpr int kBurstOfRate = 2;
// The counts of RequestsForConfidence are for independent requests. Neighbours in a burst are slow
// together, so a rate needs so many times more. Chosen, not measured.
constexpr std::size_t kRequestsForOneOfARate = 5;
// The same seed draws a container's arrivals: its order must not follow them.
constexpr std::uint64_t kOrderOfSeed = 0x9e3779b97f4a7c15;

// Of a load that is one kind's alone.
agent_protocol::Connections ConnectionsOf(const Objective& objective) {
  using Policy = agent_protocol::Connections::Policy;
  const bool fresh = objective.connections == ConnectionUse::kPerRequest;
  return {fresh ? Policy::kOneARequest : Policy::kKeptAlive, 0};
}

}  // namespace

std::vector<std::uint32_t> SeededOrder(const Workload& workload) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t row = 0; row < workload.rows; ++row) {
    if (!workload.left_out.contains(row)) order.push_back(row);
  }
  std::mt19937_64 random(workload.seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

std::vector<std::uint32_t> SeededOrder(const Workload& workload, Seed container) {
  std::vector<bool> known(workload.rows);
  for (const std::uint32_t row : workload.by_latency) known.at(row) = true;
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t row : SeededOrder(workload)) {
    if (!known[row]) rows.push_back(row);
  }
  for (const std::uint32_t row : workload.by_latency) {
    if (!workload.left_out.contains(row)) rows.push_back(row);
  }
  return BlockedOrder(rows, container.value() ^ kOrderOfSeed);
}

void BeginAt(std::size_t count, ReplayPlan& plan) {
  const auto first = static_cast<std::ptrdiff_t>(count % plan.order.size());
  std::rotate(plan.order.begin(), plan.order.begin() + first, plan.order.end());
}

ReplayPlan ObjectivePlan(const Workload& workload, Seed seed, const LoadTime& time) {
  ReplayPlan plan;
  plan.order = SeededOrder(workload, seed);
  const Objective& objective = workload.objective;
  plan.concurrency = objective.ConcurrencyOrOne();
  if (objective.requests_per_second) {
    plan.open_loop = OpenLoop{*objective.requests_per_second, objective.arrivals, seed.value()};
    plan.open_loop->ahead = kSentAhead;
    plan.open_loop->busiest = kBusiestStretch;
  }
  plan.connections = ConnectionsOf(objective);
  plan.max_time = time.time;
  plan.min_requests = UpToWholeBlock(plan.order.size(), time.min_requests);
  plan.hard_max_time = std::max(time.time, time.longest);
  if (workload.each_row_once) {
    std::erase_if(plan.order, [&](std::uint32_t row) {
      return std::find(workload.apart.begin(), workload.apart.end(), row) != workload.apart.end();
    });
    plan.max_requests = plan.order.size();
  }
  return plan;
}

ReplayPlan ClosedPlan(const Workload& workload, int concurrency, std::chrono::nanoseconds time) {
  ReplayPlan plan;
  plan.order = SeededOrder(workload);
  plan.concurrency = concurrency;
  plan.connections = ConnectionsOf(workload.objective);
  plan.max_time = time;
  return plan;
}

ReplayPlan ClosedPlan(const Workload& workload, Seed seed, int concurrency,
                      std::chrono::nanoseconds time) {
  ReplayPlan plan = ClosedPlan(workload, concurrency, time);
  plan.order = SeededOrder(workload, seed);
  return plan;
}

ReplayPlan HeavyPlan(const Workload& workload, std::chrono::nanoseconds longest) {
  const Objective& objective = workload.objective;
  return HeavyPlan(workload,
                   objective.requests_per_second ? kBurstOfRate : objective.ConcurrencyOrOne(),
                   longest);
}

ReplayPlan HeavyPlan(const Workload& workload, int at_once, std::chrono::nanoseconds longest) {
  ReplayPlan plan;
  for (const std::uint32_t row : workload.heavy) {
    plan.order.insert(plan.order.end(), static_cast<std::size_t>(at_once), row);
  }
  if (plan.order.empty()) plan.order = SeededOrder(workload);
  plan.concurrency = at_once;
  plan.max_requests = plan.order.size();
  plan.max_time = longest;
  return plan;
}

ReplayPlan InFlightPlan(const Workload& workload, Seed seed, std::chrono::nanoseconds longest) {
  ReplayPlan plan = ClosedPlan(workload, seed, workload.in_flight, longest);
  plan.max_requests = static_cast<std::size_t>(workload.in_flight);
  return plan;
}

std::chrono::nanoseconds InFlightTime(const Workload& workload, Cores cpu) {
  if (workload.in_flight < 2) return std::chrono::nanoseconds(0);
  const double seconds =
      workload.in_flight * workload.cpu_seconds_per_query.value_or(0) / cpu.value();
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

std::size_t RequestsToSee(const Objective& objective) {
  std::size_t most = RequestsForConfidence(0.95);
  for (const auto& [key, limit] : objective.latency_ms) {
    most = std::max(most, RequestsForConfidence(QuantileOfKey(key).value_or(0.95)));
  }
  return objective.requests_per_second ? kRequestsForOneOfARate * most : most;
}

}  // namespace mlprof::server
