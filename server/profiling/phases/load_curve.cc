#include "server/profiling/phases/load_curve.h"

#include <algorithm>

#include "server/analysis/knee.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/full_speed.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replay_bound.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::milliseconds kLevelTime{1500};
constexpr int kMostInFlight = 256;
constexpr double kBudgetForCurve = 0.06;
constexpr double kErrorsEnough = 0.01;

LoadLevel MakeLevel(const Trial& trial, const ResourceUse& use, int concurrency) {
  const Measurements& measured = trial.measurements;
  LoadLevel level;
  level.concurrency = concurrency;
  level.requests_per_second = measured.queries_per_second.value_or(0);
  level.p50_ms = measured.latency_p50_ms.value_or(0);
  level.p95_ms = measured.latency_p95_ms.value_or(level.p50_ms);
  level.p99_ms = measured.latency_p99_ms.value_or(level.p95_ms);
  level.cores = use.mean_cores.value_or(0);
  level.peak_memory = use.peak_unreclaimable;
  if (measured.total_queries > 0) {
    level.error_rate = 1 - static_cast<double>(measured.success_queries) /
                               static_cast<double>(measured.total_queries);
  }
  return level;
}

// More in flight than was asked for may be more than the model bears: that is no failure.
void WarnOverload(RunContext& context, int concurrency) {
  context.recorder.Warn({"overloadKills",
                         "the model died with " + std::to_string(concurrency) +
                             " rows in flight, more than the objective asks for",
                         "let what stands before it hold back requests beyond `maxConcurrency`"});
}

// Nothing where the model died of it.
PhaseResult<std::optional<LoadLevel>> MeasureLevel(RunContext& context, RunningModel& model,
                                                   int concurrency) {
  context.recorder.Progressed(0.5, std::to_string(concurrency) + " rows in flight");
  const Timestamp began = Now();
  const ReplayPlan plan = ClosedPlan(context, concurrency, kLevelTime);
  const ReplayResult replay = model.Replay(plan, context.budget());
  if (replay.target_lost && !context.stop.stop_requested()) {
    WarnOverload(context, concurrency);
    return std::nullopt;
  }
  if (auto ended = CheckTarget(context, model, replay); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  Trial trial = MakeTrial(context, model, TrialPurpose::kLoadCurve, plan, began, replay);
  const LoadLevel level = MakeLevel(trial, Summarize(model.SamplesOf(replay)), concurrency);
  trial.passed = level.error_rate <= kErrorsEnough;
  trial.verdict = trial.passed ? "measured" : "too many errors at this many in flight";
  context.recorder.Record(trial, replay.SuccessLatencies());
  NoteFullSpeed(context, trial);
  return level;
}

// What one row more in flight keeps in memory, between the first and the last level.
std::optional<Bytes> MemoryPerRow(const std::vector<LoadLevel>& levels) {
  if (levels.size() < 2) return std::nullopt;
  const LoadLevel& first = levels.front();
  const LoadLevel& last = levels.back();
  if (!first.peak_memory || !last.peak_memory) return std::nullopt;
  const Bytes rise = std::max(Bytes(), *last.peak_memory - *first.peak_memory);
  return Bytes(rise.count() / (last.concurrency - first.concurrency));
}

}  // namespace

PhaseResult<void> MeasureLoadCurve(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kLoadCurve, "measuring with more rows in flight");
  const auto began = context.clock.Now();
  const auto longest = std::min(context.BudgetShare(kBudgetForCurve),
                                std::chrono::nanoseconds(context.budget().Left()) / 4);
  LoadCurve curve;
  for (int concurrency = 1; concurrency <= kMostInFlight; concurrency *= 2) {
    if (context.clock.Now() - began + kLevelTime > longest) break;
    const auto level = MeasureLevel(context, model, concurrency);
    if (!level) return tl::unexpected<RunEnd>(level.error());
    if (!*level) break;
    if (!curve.levels.empty() && WarnIfReplayBound(context, (*level)->requests_per_second)) break;
    curve.levels.push_back(**level);
    if (LoadSaturated(curve.levels) || curve.levels.back().error_rate > kErrorsEnough) break;
  }
  curve.knee_concurrency = KneeConcurrency(curve.levels);
  if (auto& memory = context.profile().findings.memory) {
    memory->per_concurrent_request = MemoryPerRow(curve.levels);
  }
  if (!curve.levels.empty()) context.profile().findings.load = std::move(curve);
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
