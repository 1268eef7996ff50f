#include "server/profiling/phases/load.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/host_watch.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kLoadTime{10};
constexpr std::chrono::seconds kLongestBurst{10};
constexpr double kBudgetForLoad = 0.15;

void KeepReference(RunContext& context, const ReplayResult& replay) {
  const LatencyDistribution latencies(replay.SuccessLatencies());
  context.observed.reference_p95_ms = latencies.QuantileMs(0.95);
  context.observed.reference_mean_ms = latencies.MeanMs();
}

}  // namespace

PhaseResult<void> Load(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kLoad, "measuring under the objective's load");
  const Timestamp began = Now();
  const HostWatch watch;
  const auto longest = context.BudgetShare(kBudgetForLoad);
  const ReplayPlan plan =
      ObjectivePlan(context, std::min<std::chrono::nanoseconds>(kLoadTime, longest),
                    RequestsToSee(context.objective()), longest);
  const ReplayResult replay = model.Replay(plan, context.budget());
  const ResourceUse use = Summarize(model.SamplesOf(replay));
  const NoiseEvidence noise = watch.End(context, use.cpu_seconds.value_or(0));
  NoteServing(context, replay);
  if (auto ended = CheckTarget(context, model, replay); !ended) return ended;
  if (auto ended = CheckRows(context, replay); !ended) return ended;

  const bool noisy = NoteNoise(context, noise).noisy;
  if (!plan.open_loop && plan.concurrency == 1) NoteSerial(context, replay);
  KeepReference(context, replay);
  Trial trial = MakeTrial(context, model, TrialPurpose::kLoad, plan, began, replay);
  trial.passed = true;
  trial.verdict = "the reference without a CPU limit below the ceiling";
  context.recorder.Record(trial, replay.SuccessLatencies());

  const ReplayResult burst =
      model.Replay(HeavyPlan(context, std::min<std::chrono::nanoseconds>(kLongestBurst, longest)),
                   context.budget());
  NoteServing(context, burst);
  if (auto ended = CheckTarget(context, model, burst); !ended) return ended;
  AnswerSoFar(context, model, replay, trial, noisy ? noise.foreign_cores : 0);
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
