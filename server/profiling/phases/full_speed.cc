#include "server/profiling/phases/full_speed.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/verdict.h"

namespace mlprof::phases {
namespace {

bool IsObjectivesLoad(const Objective& objective, const Trial& trial) {
  // Other settings are another model.
  if (trial.purpose == TrialPurpose::kThreadPools) return false;
  if (objective.requests_per_second) {
    return trial.requests_per_second == objective.requests_per_second;
  }
  return !trial.requests_per_second && trial.concurrency == objective.ConcurrencyOrOne();
}

bool WasHeldBack(const RunContext& context, const Trial& trial) {
  const auto& share = trial.measurements.throttled_share;
  return share ? *share >= kUnboundShare : trial.limits.cpu < context.ceiling.cpu;
}

}  // namespace

void NoteFullSpeed(RunContext& context, const Trial& trial) {
  const auto p95 = trial.measurements.latency_p95_ms;
  auto& reference = context.observed.reference_p95_ms;
  if (!p95 || !reference || !IsObjectivesLoad(context.objective(), trial)) return;
  if (WasHeldBack(context, trial)) return;
  if (trial.measurements.success_queries < static_cast<std::int64_t>(RequestsForConfidence(0.95))) {
    return;
  }
  reference = std::min(*reference, *p95);
}

}  // namespace mlprof::phases
