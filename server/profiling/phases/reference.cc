#include "server/profiling/phases/reference.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/verdict.h"

namespace mlprof::server::phases {
namespace {

constexpr std::size_t kEnoughRows = 500;  // stand for a dataset of any size; chosen, not measured

bool IsObjectivesLoad(const Objective& objective, const Trial& trial) {
  // With its thread pools set otherwise it is another model.
  if (trial.purpose == TrialPurpose::kThreadPools) return false;
  if (objective.requests_per_second) {
    return trial.requests_per_second == objective.requests_per_second;
  }
  return !trial.requests_per_second && trial.concurrency == objective.ConcurrencyOrOne();
}

bool WasHeldBack(const Trial& trial, Cores ceiling) {
  const auto& share = trial.measurements.throttled_share;
  return share ? *share >= kUnboundShare : trial.limits.cpu() < ceiling;
}

// A run of few rows may have had the lighter ones only, and look fast for that.
bool SawEnough(const Trial& trial, const Workload& workload) {
  const std::size_t all_rows = std::min<std::size_t>(workload.rows, kEnoughRows);
  const std::size_t enough = std::max(RequestsForConfidence(0.95), all_rows);
  return trial.measurements.success_queries >= static_cast<std::int64_t>(enough);
}

}  // namespace

Reference Fastest(const Reference& reference, const Trial& trial, const Workload& workload,
                  Cores ceiling) {
  Reference fastest = reference;
  const auto p95 = trial.measurements.latency_p95_ms;
  const bool tells = p95 && reference.p95_ms && IsObjectivesLoad(workload.objective, trial) &&
                     !WasHeldBack(trial, ceiling) && SawEnough(trial, workload);
  if (tells) fastest.p95_ms = std::min(*reference.p95_ms, *p95);
  return fastest;
}

std::int64_t NewFailures(const Reference& reference, const ReplayResult& replay) {
  const auto& known = reference.failing_rows;
  return std::count_if(replay.requests.begin(), replay.requests.end(),
                       [&](const RequestRecord& request) {
                         return !request.Succeeded() && !known.contains(request.row);
                       });
}

double AcceptableMs(const Reference& reference, const Objective& objective) {
  double acceptable = reference.p95_ms.value_or(0);
  for (const auto& [key, limit_ms] : objective.latency_ms) {
    acceptable = std::max(acceptable, limit_ms);
  }
  return acceptable;
}

}  // namespace mlprof::server::phases
