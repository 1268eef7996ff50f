#include "server/profiling/phases/full_speed.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/verdict.h"

namespace mlprof::phases {
namespace {

constexpr std::size_t kEnoughRows = 500;

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
  // Fewer rows may be lighter ones.
  const std::size_t all_rows = std::min<std::size_t>(context.rows.size(), kEnoughRows);
  const std::size_t enough = std::max(RequestsForConfidence(0.95), all_rows);
  if (trial.measurements.success_queries < static_cast<std::int64_t>(enough)) return;
  reference = std::min(*reference, *p95);
}

}  // namespace mlprof::phases
