#include "server/profiling/phases/plans.h"

#include <algorithm>
#include <random>

#include "server/analysis/latency.h"

namespace mlprof::phases {
namespace {

// A rate has no fixed number in flight; so many at once stand for a burst.
constexpr int kBurstOfRate = 2;
constexpr std::size_t kRequestsForOneOfARate = 5;

}  // namespace

std::vector<std::uint32_t> SeededOrder(const RunContext& context) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t row = 0; row < context.rows.size(); ++row) {
    if (!context.left_out.contains(row)) order.push_back(row);
  }
  std::mt19937_64 random(context.recorder.profile().request.seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

ReplayPlan ObjectivePlan(RunContext& context, std::chrono::nanoseconds time,
                         std::size_t min_requests, std::chrono::nanoseconds longest) {
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  const Objective& objective = context.objective();
  plan.concurrency = objective.ConcurrencyOrOne();
  if (objective.requests_per_second) {
    // Each container gets arrivals of its own: one burst of one schedule must not decide for all.
    // The limits tried within a container are compared under the same.
    plan.open_loop =
        OpenLoop{*objective.requests_per_second, objective.arrivals,
                 context.profile().request.seed + static_cast<std::uint64_t>(context.launches)};
  }
  plan.max_time = time;
  plan.min_requests = min_requests;
  plan.hard_max_time = std::max(time, longest);
  return plan;
}

ReplayPlan ClosedPlan(RunContext& context, int concurrency, std::chrono::nanoseconds time) {
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  plan.concurrency = concurrency;
  plan.max_time = time;
  return plan;
}

ReplayPlan HeavyPlan(RunContext& context, std::chrono::nanoseconds longest) {
  ReplayPlan plan;
  const int at_once = context.objective().requests_per_second
                          ? kBurstOfRate
                          : context.objective().ConcurrencyOrOne();
  for (const std::uint32_t row : context.observed.heavy_rows) {
    plan.order.insert(plan.order.end(), static_cast<std::size_t>(at_once), row);
  }
  if (plan.order.empty()) plan.order = SeededOrder(context);
  plan.concurrency = at_once;
  plan.max_requests = plan.order.size();
  plan.max_time = longest;
  return plan;
}

std::size_t RequestsToSee(const Objective& objective) {
  std::size_t most = RequestsForConfidence(0.95);
  for (const auto& [key, limit] : objective.latency_ms) {
    most = std::max(most, RequestsForConfidence(QuantileOfKey(key).value_or(0.95)));
  }
  // Neighbours in a burst are slow together, so that so many requests tell less than independent
  // ones would.
  return objective.requests_per_second ? kRequestsForOneOfARate * most : most;
}

}  // namespace mlprof::phases
