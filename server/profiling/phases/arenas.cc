#include "server/profiling/phases/arenas.h"

#include <algorithm>

namespace mlprof::server::phases {
namespace {

constexpr int kRuns = 2;
constexpr std::chrono::seconds kTrialTime{4};

// The level that it usually had while it served: a start that takes more hides no difference.
std::optional<Bytes> LevelUnderLoad(Lab& lab, Yardstick yardstick, const Limits& limits,
                                    std::map<std::string, std::string> settings) {
  yardstick.setup.environment.merge(settings);
  LimitedRunPlan plan{
      limits, TrialPurpose::kArenas, {kTrialTime, RequestsForConfidence(0.95), 2 * kTrialTime}};
  plan.once = true;
  const auto run = RunAtLimits(lab, yardstick, plan);
  // How fast it was is no matter of memory.
  if (!run || run->latencies.size() < RequestsForConfidence(0.95)) return std::nullopt;
  const Measurements& measured = run->trial.measurements;
  if (measured.success_queries < measured.total_queries) return std::nullopt;
  return run->usual_memory;
}

}  // namespace

bool CanTryArenas(Lab& lab, const Yardstick& yardstick) {
  return !lab.stopped() && lab.budget().Left() > TimeBeforeLoad(lab.budget(), yardstick, kRuns) +
                                                     2 * kRuns * kTrialTime;
}

std::optional<ArenaTrial> TryFewerArenas(Lab& lab, const Yardstick& yardstick, const Proof& proof) {
  lab.Progressed(0, "trying fewer arenas of malloc");
  const auto without = LevelUnderLoad(lab, yardstick, proof.limits, {});
  if (!without || lab.stopped()) return std::nullopt;
  lab.Progressed(0.5, "trying fewer arenas of malloc");
  const auto with = LevelUnderLoad(lab, yardstick, proof.limits, {{"MALLOC_ARENA_MAX", "2"}});
  if (!with) return std::nullopt;
  Bytes least = *without;
  Bytes most = *without;
  for (const LimitedRun& run : proof.passes) {
    least = std::min(least, run.usual_memory.value_or(least));
    most = std::max(most, run.usual_memory.value_or(most));
  }
  if (*without - *with <= most - least) return std::nullopt;
  return ArenaTrial{*without, *with};
}

}  // namespace mlprof::server::phases
