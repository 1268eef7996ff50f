#include "server/profiling/phases/limited_run.h"

#include <algorithm>

#include "server/profiling/phases/host_watch.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kWarmUpTime{2};
constexpr std::chrono::seconds kLongestBurst{10};

ReplayPlan WarmUpPlan(RunContext& context) {
  ReplayPlan plan = ClosedPlan(context, context.objective().ConcurrencyOrOne(), kWarmUpTime);
  plan.max_requests = 2 * plan.order.size();
  return plan;
}

void NoteDeath(RunningModel& model, VerificationEvidence& evidence) {
  const DeathEvidence death = model.Death();
  evidence.oom_kills = death.oom_kills;
  evidence.death = DiagnoseDeath(death).message;
  evidence.start_timed_out = death.not_ready && !death.exit_code && !death.signal;
}

void NoteReplay(const ReplayResult& replay, VerificationEvidence& evidence) {
  evidence.requests += std::ssize(replay.requests);
  evidence.failures += replay.failures;
  evidence.died = evidence.died || replay.target_lost;
}

// The heaviest rows come first, so that they come at all.
ReplayResult ReplayAll(RunContext& context, RunningModel& model, const ReplayPlan& plan,
                       VerificationEvidence& evidence) {
  const auto burst = std::min<std::chrono::nanoseconds>(kLongestBurst, context.budget().Left() / 3);
  NoteReplay(model.Replay(HeavyPlan(context, burst), context.budget()), evidence);
  if (!evidence.died) NoteReplay(model.Replay(WarmUpPlan(context), context.budget()), evidence);
  if (evidence.died) return {};
  ReplayResult replay = model.Replay(plan, context.budget());
  NoteReplay(replay, evidence);
  return replay;
}

void NoteStart(const agent_protocol::Ready& ready, Measurements& measurements) {
  measurements.start_seconds = std::chrono::duration<double>(ready.took).count();
  measurements.start_cpu_seconds = std::chrono::duration<double>(ready.cpu_time).count();
  measurements.start_peak_memory = ready.peak_unreclaimable;
}

}  // namespace

PhaseResult<LimitedRun> RunAtLimits(RunContext& context, const LimitedRunPlan& wanted) {
  auto model = RunningModel::Launch(context, {wanted.limits, "", true});
  if (!model) return tl::unexpected<RunEnd>(model.error());
  const Timestamp began = Now();
  const HostWatch watch;
  VerificationEvidence evidence;
  evidence.reference_p95_ms = context.observed.reference_p95_ms;
  const ReplayPlan plan = ObjectivePlan(context, wanted.time, wanted.min_requests, wanted.longest);
  ReplayResult replay;
  const auto ready = (*model)->Start();
  if (context.stop.stop_requested()) return Canceled();
  if (!ready && (*model)->RanOutOfBudget()) {
    return TimedOut("the budget was used up before the model was ready");
  }
  evidence.became_ready = ready.has_value();
  if (ready) replay = ReplayAll(context, **model, plan, evidence);
  if (context.stop.stop_requested()) return Canceled();
  const ResourceUse measured = Summarize((*model)->SamplesOf(replay));
  evidence.throttled_share = measured.throttled_share;
  evidence.refaults = measured.refaults;
  NoteDeath(**model, evidence);

  LimitedRun run;
  run.use = Summarize((*model)->AllSamples());
  run.noise = watch.End(context, run.use.cpu_seconds.value_or(0));
  run.latencies = replay.SuccessLatencies();
  run.trial = MakeTrial(context, **model, wanted.purpose, plan, began, replay);
  if (ready) NoteStart(*ready, run.trial.measurements);
  evidence.scheduled_rate = run.trial.requests_per_second;
  evidence.measured_rate = run.trial.measurements.queries_per_second.value_or(0);
  run.verdict = Judge(evidence, LatencyDistribution(run.latencies), context.objective());
  run.trial.passed = run.verdict.passed;
  run.trial.verdict = run.verdict.sentence;
  context.recorder.Record(run.trial, run.latencies);
  return run;
}

}  // namespace mlprof::phases
