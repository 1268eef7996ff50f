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

void NoteNoise(RunContext& context, const Result<HostLoad>& before, const Result<HostLoad>& after,
               double container_seconds) {
  if (!before || !after || !context.profile().host) return;
  const double foreign = ForeignCores(*before, *after, container_seconds);
  const double steal = StealShare(*before, *after, context.host_cores);
  std::string& noise = context.profile().host->noise;
  if (foreign <= kNoisyForeignCores * context.host_cores && steal <= kNoisySteal) {
    noise = "quiet";
    return;
  }
  char text[128];
  std::snprintf(text, sizeof text, "other work used %.2f cores, %.1f%% of the time was stolen",
                foreign, steal * 100);
  noise = text;
  context.recorder.Warn({"noisyHost",
                         "the host was not quiet while the load was measured: " + noise,
                         "profile again when nothing else runs; the answer may be too high"});
}

void NoteNeed(RunContext& context, const ResourceUse& use) {
  MeasuredNeed& need = context.findings.need;
  need.cores = use.mean_cores.value_or(0) + use.agent_cores;
  if (context.objective().ConcurrencyOrOne() == 1) {
    need.cores = std::max(need.cores, context.findings.unhindered_cores.value_or(0));
  }
  need.agent_memory = use.peak_agent_memory;
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
  NoteNoise(context, host_before, host_after, use.cpu_seconds.value_or(0));
  NoteNeed(context, use);
  // Rows before the load count as serving too: the largest may have come only there.
  const std::vector<Sample> all = model.session().Samples();
  const ResourceUse life = Summarize(all);
  context.findings.need.serving_peak = life.peak_unreclaimable.value_or(Bytes());
  context.findings.reference_p95_ms =
      LatencyDistribution(replay.SuccessLatencies()).QuantileMs(0.95);

  Trial trial = MakeTrial(context, model, TrialPurpose::kLoad,
                          context.objective().ConcurrencyOrOne(), began, replay);
  trial.passed = true;
  trial.verdict = "the reference without a CPU limit below the ceiling";
  context.recorder.Record(trial, replay.SuccessLatencies());
  context.profile().measurements = trial.measurements;
  context.recorder.Answer(Recommend(FirstAnswer(context.findings.need, context.ceiling),
                                    context.findings.need, context.ceiling, {}));
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
