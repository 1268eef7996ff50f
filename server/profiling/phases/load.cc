#include "server/profiling/phases/load.h"

#include <algorithm>
#include <cstdio>

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
constexpr double kLeastLagMs = 1;
constexpr double kLagOfLatency = 0.05;

// A rate that the replay could not keep by itself tells of the replay, not of the model.
void WarnLate(RunContext& context, const Trial& trial) {
  if (!trial.send_lag_p99_ms) return;
  const double most =
      std::max(kLeastLagMs, kLagOfLatency * trial.measurements.latency_p50_ms.value_or(0));
  if (*trial.send_lag_p99_ms <= most) return;
  char text[128];
  std::snprintf(text, sizeof text, "1%% of the rows left more than %.1f ms behind their schedule",
                *trial.send_lag_p99_ms);
  context.recorder.Warn({"replayLate", text,
                         "profile again when nothing else runs, or on a machine with more cores"});
}

void KeepReference(RunContext& context, const ReplayResult& replay) {
  const LatencyDistribution latencies(replay.SuccessLatencies());
  context.observed.reference_p95_ms = latencies.QuantileMs(0.95);
  context.observed.reference_mean_ms = latencies.MeanMs();
  for (const RequestRecord& request : replay.requests) {
    if (!request.Succeeded()) context.observed.failing_rows.insert(request.row);
  }
  context.observed.reference_error_share =
      static_cast<double>(replay.failures) / static_cast<double>(replay.requests.size());
  NoteSlowest(context, replay);
}

}  // namespace

PhaseResult<void> Load(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kLoad, "measuring under the objective's load");
  const Timestamp began = Now();
  const HostWatch watch(context);
  const auto longest = context.BudgetShare(kBudgetForLoad);
  const ReplayPlan plan =
      ObjectivePlan(context, std::min<std::chrono::nanoseconds>(kLoadTime, longest),
                    RequestsToSee(context.objective()), longest);
  const ReplayResult replay = model.Replay(plan, context.budget());
  const ResourceUse use = Summarize(model.SamplesOf(replay));
  const NoiseEvidence noise = watch.End(context, use);
  NoteServing(context, replay);
  if (auto ended = CheckTarget(context, model, replay); !ended) return ended;
  if (auto ended = CheckRows(context, model, replay); !ended) return ended;

  const bool noisy = NoteNoise(context, noise).noisy;
  if (!plan.open_loop && plan.concurrency == 1) NoteSerial(context, replay);
  KeepReference(context, replay);
  Trial trial = MakeTrial(context, model, TrialPurpose::kLoad, plan, began, replay);
  trial.passed = true;
  trial.verdict = "the reference without a CPU limit below the ceiling";
  context.recorder.Record(trial, replay.SuccessLatencies());
  WarnLate(context, trial);

  const ReplayResult burst =
      model.Replay(HeavyPlan(context, std::min<std::chrono::nanoseconds>(kLongestBurst, longest)),
                   context.budget());
  NoteServing(context, burst);
  NoteSlowest(context, burst);
  if (auto ended = CheckTarget(context, model, burst); !ended) return ended;
  const double others = noise.foreign_cores + noise.steal_share * noise.host_cores;
  AnswerSoFar(context, model, replay, trial, noisy ? others : 0);
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
