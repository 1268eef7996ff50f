#include "server/profiling/phases/load_curve.h"

#include <algorithm>
#include <utility>

#include "server/analysis/load_curve.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/preflight.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::milliseconds kLevelTime{1100};  // nine levels fit a default budget's share
constexpr double kErrorsEnough = 0.01;
// A server of fewer processes than connections may leave one waiting for ever: rows that take so
// many times what the level before took, and the least below, end the curve. Chosen, not measured.
constexpr double kSlowAnswer = 20;
constexpr std::chrono::milliseconds kLeastAnswer{3000};

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

struct Level {
  std::optional<LoadLevel> measured;  // nothing where it is the curve's end
  bool killed = false;                // the model died of it
};

std::chrono::milliseconds LongestLevel(double usual_ms) {
  const std::chrono::milliseconds slow(static_cast<std::int64_t>(kSlowAnswer * usual_ms));
  return kLevelTime + std::max(kLeastAnswer, slow);
}

// `usual_ms`: a slow row with fewer in flight.
PhaseResult<Level> MeasureLevel(Lab& lab, Container& container, const Workload& workload,
                                int concurrency, double usual_ms, Reference& reference) {
  lab.Progressed(0.5, std::to_string(concurrency) + " rows in flight");
  const Timestamp began = Now();
  const ReplayPlan plan = ClosedPlan(workload, container.seed(), concurrency, kLevelTime);
  if (concurrency > workload.objective.ConcurrencyOrOne()) container.GoBeyond();
  const ReplayResult replay = container.Replay(plan, lab.budget().AtMost(LongestLevel(usual_ms)));
  // A model that dies of more rows in flight than the objective asks for has not failed.
  const bool overloaded = replay.target_lost && !container.WasEndedForDisk();
  if (overloaded && !lab.stopped()) return Level{std::nullopt, true};
  if (auto ended = CheckTarget(lab, container, replay); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  Trial trial = MakeTrial(container, workload, TrialPurpose::kLoadCurve, plan, began, replay);
  const LoadLevel level = MakeLevel(trial, Summarize(container.SamplesOf(replay)), concurrency);
  trial.passed = level.error_rate <= kErrorsEnough && !replay.cut_off;
  trial.verdict = trial.passed            ? "measured"
                  : lab.budget().Passed() ? "the budget ended"
                  : replay.cut_off        ? "rows were not answered at this many in flight"
                                          : "too many errors at this many in flight";
  lab.Record(trial);
  if (replay.cut_off) return Level{};
  if (IsObjectivesLoad(workload.objective, concurrency)) {
    reference = WithLook(std::move(reference), LookAt(plan, replay));
  }
  return Level{level, false};
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

PhaseResult<CurveFacts> MeasureLoadCurve(Lab& lab, Container& container, const Workload& workload,
                                         const Reference& reference, double slowest_row_ms,
                                         const std::optional<ReplayCapacity>& capacity) {
  const auto began = lab.clock().Now();
  const auto longest = std::min(lab.budget().For(Spend::kLoadCurve), lab.budget().Left() / 4);
  CurveFacts facts;
  facts.reference = reference;
  auto& levels = facts.curve.levels;
  for (int concurrency = 1; concurrency <= kMostInFlight; concurrency *= 2) {
    if (lab.clock().Now() - began + kLevelTime > longest) break;
    const double usual_ms = std::max(slowest_row_ms, levels.empty() ? 0 : levels.back().p99_ms);
    MLPROF_LET(level,
               MeasureLevel(lab, container, workload, concurrency, usual_ms, facts.reference));
    if (level.killed) facts.killed_at = concurrency;
    if (!level.measured) break;
    const LoadLevel& measured = *level.measured;
    facts.replay_bound = !levels.empty() && IsReplayBound(capacity, measured.requests_per_second);
    if (facts.replay_bound) break;
    levels.push_back(measured);
    if (LoadSaturated(levels) || measured.error_rate > kErrorsEnough) break;
  }
  facts.curve.knee_concurrency = KneeConcurrency(levels);
  facts.memory_per_request = MemoryPerRow(levels);
  return facts;
}

}  // namespace mlprof::server::phases
