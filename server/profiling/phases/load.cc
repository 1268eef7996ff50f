#include "server/profiling/phases/load.h"

#include <algorithm>
#include <cstdio>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/host_load.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kLoadTime{10};
constexpr double kBudgetForLoad = 0.15;
constexpr double kNoisyForeignCores = 0.10;  // of one core, for each core of the host
constexpr double kNoisySteal = 0.02;

ReplayPlan LoadPlan(RunContext& context) {
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  plan.concurrency = context.objective().ConcurrencyOrOne();
  plan.max_time =
      std::min<std::chrono::nanoseconds>(kLoadTime, context.BudgetShare(kBudgetForLoad));
  plan.min_requests = RequestsForConfidence(0.95);
  plan.hard_max_time = std::max(*plan.max_time, context.BudgetShare(kBudgetForLoad));
  return plan;
}

// Cores that other work used; 0 where that was little.
double NoteNoise(RunContext& context, const Result<HostLoad>& before, const Result<HostLoad>& after,
                 double container_seconds) {
  if (!before || !after || !context.profile().host) return 0;
  const double foreign = ForeignCores(*before, *after, container_seconds);
  const double steal = StealShare(*before, *after, context.host_cores);
  std::string& noise = context.profile().host->noise;
  if (foreign <= kNoisyForeignCores * context.host_cores && steal <= kNoisySteal) {
    noise = "quiet";
    return 0;
  }
  char text[128];
  std::snprintf(text, sizeof text, "other work used %.2f cores, %.1f%% of the time was stolen",
                foreign, steal * 100);
  noise = text;
  context.recorder.Warn(
      {"noisyHost", "the host was not quiet while the load was measured: " + noise,
       "profile again when nothing else runs: its limits may be too high or too low"});
  return foreign;
}

}  // namespace

PhaseResult<void> Load(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kLoad, "measuring under the objective's load");
  const Timestamp began = Now();
  const auto host_before = ReadHostLoad();
  const ReplayResult replay = model.Replay(LoadPlan(context), context.budget());
  const auto host_after = ReadHostLoad();
  if (auto ended = CheckTarget(context, model, replay); !ended) return ended;
  if (auto ended = CheckRows(context, replay); !ended) return ended;

  const ResourceUse use = Summarize(model.SamplesOf(replay));
  const double other_cores =
      NoteNoise(context, host_before, host_after, use.cpu_seconds.value_or(0));
  if (context.objective().ConcurrencyOrOne() == 1) NoteSerial(context, replay);
  context.findings.reference_p95_ms =
      LatencyDistribution(replay.SuccessLatencies()).QuantileMs(0.95);

  Trial trial = MakeTrial(context, model, TrialPurpose::kLoad,
                          context.objective().ConcurrencyOrOne(), began, replay);
  trial.passed = true;
  trial.verdict = "the reference without a CPU limit below the ceiling";
  context.recorder.Record(trial, replay.SuccessLatencies());
  AnswerSoFar(context, model, replay, trial, other_cores);
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
