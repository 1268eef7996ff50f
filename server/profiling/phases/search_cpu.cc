#include "server/profiling/phases/search_cpu.h"

#include <cstdio>

#include "server/analysis/grid_search.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/verdict.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kProbeTime{3};
constexpr double kBudgetForProbe = 0.05;
constexpr double kBudgetForSearch = 0.25;

ReplayPlan ProbePlan(RunContext& context) {
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  plan.concurrency = context.objective().ConcurrencyOrOne();
  plan.max_time =
      std::min<std::chrono::nanoseconds>(kProbeTime, context.BudgetShare(kBudgetForProbe));
  plan.min_requests = RequestsForConfidence(0.95);
  plan.hard_max_time = context.BudgetShare(kBudgetForProbe);
  return plan;
}

// A probe is judged as a verification is, by its own latencies; errors are not the limit's doing.
Verdict JudgeProbe(RunContext& context, const ReplayResult& replay, const ResourceUse& use) {
  VerificationEvidence evidence;
  evidence.became_ready = true;
  evidence.requests = std::ssize(replay.requests);
  evidence.throttled_share = use.throttled_share;
  evidence.reference_p95_ms = context.findings.reference_p95_ms;
  return Judge(evidence, LatencyDistribution(replay.SuccessLatencies()), context.objective());
}

PhaseResult<bool> Probe(RunContext& context, RunningModel& model, Cores cpu) {
  if (auto status = model.SetCpu(cpu); !status) {
    return FailRun({"RuntimeFailed",
                    "the CPU limit could not be changed: " + status.error().message(),
                    {"run `mlprof doctor` on the server's machine"},
                    ""});
  }
  char text[64];
  std::snprintf(text, sizeof text, "trying %.1f cores", cpu.value());
  context.recorder.Progressed(0.5, text);
  const Timestamp began = Now();
  const ReplayResult replay = model.Replay(ProbePlan(context), context.budget());
  if (auto ended = CheckTarget(context, model, replay); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  const Verdict verdict = JudgeProbe(context, replay, Summarize(model.SamplesOf(replay)));
  Trial trial = MakeTrial(context, model, TrialPurpose::kLoad,
                          context.objective().ConcurrencyOrOne(), began, replay);
  trial.passed = verdict.passed;
  trial.verdict = verdict.sentence;
  context.recorder.Record(trial, replay.SuccessLatencies());
  return verdict.passed;
}

}  // namespace

PhaseResult<void> SearchCpu(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kSearchCpu, "searching the CPU limit");
  const Deadline end =
      Deadline::After(std::min(context.BudgetShare(kBudgetForSearch), context.budget().Left() / 2));
  const Cores guess = FirstAnswer(context.findings.need, context.ceiling).cpu;
  // Without a latency objective the answer must be as fast as the ample container, which used that
  // much; with one, slower may do.
  const Cores floor = context.objective().latency_ms.empty() ? guess : kSmallestLimits.cpu;
  GridSearch search(floor, guess, context.ceiling.cpu);
  while (const auto next = search.Next()) {
    if (end.Passed()) break;
    auto passed = Probe(context, model, *next);
    if (!passed) return tl::unexpected<RunEnd>(passed.error());
    search.Tell(*next, *passed);
  }
  context.findings.chosen_cpu = search.Best();
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
