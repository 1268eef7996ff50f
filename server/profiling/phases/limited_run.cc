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
// A model short of memory may take hours where it took seconds: what takes so many times its usual
// time is given up.
constexpr double kSlowStart = 3;
constexpr double kSlowRow = 20;
constexpr std::chrono::milliseconds kLeastStart{10'000};
constexpr std::chrono::milliseconds kLeastRow{3'000};

std::chrono::milliseconds Milliseconds(double ms) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

std::chrono::milliseconds LongestStart(const RunContext& context, Cores cpu) {
  const Observations& observed = context.observed;
  const double seconds =
      *std::max_element(observed.start_seconds.begin(), observed.start_seconds.end()) +
      *std::max_element(observed.start_cpu_seconds.begin(), observed.start_cpu_seconds.end()) /
          cpu.value();
  return std::max(kLeastStart, Milliseconds(kSlowStart * seconds * 1000));
}

// Within which a replay of `time` must have its last answer.
Deadline EndOf(RunContext& context, std::chrono::nanoseconds time, Cores cpu) {
  const double slowest_ms = context.observed.slowest_row_ms / std::min(1.0, cpu.value());
  return context.budget().AtMost(time + std::max(kLeastRow, Milliseconds(kSlowRow * slowest_ms)));
}

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
  evidence.stalled = evidence.stalled || replay.cut_off;
}

// The heaviest rows come first, so that they come at all.
ReplayResult ReplayAll(RunContext& context, RunningModel& model, const ReplayPlan& plan,
                       std::chrono::nanoseconds longest, VerificationEvidence& evidence) {
  const Cores cpu = model.limits().cpu;
  const auto burst = std::min<std::chrono::nanoseconds>(kLongestBurst, context.budget().Left() / 3);
  const auto replay = [&](const ReplayPlan& part, std::chrono::nanoseconds time) {
    ReplayResult result = model.Replay(part, EndOf(context, time, cpu));
    NoteReplay(result, evidence);
    return result;
  };
  replay(HeavyPlan(context, burst), burst);
  if (!evidence.died && !evidence.stalled) replay(WarmUpPlan(context), kWarmUpTime);
  if (evidence.died || evidence.stalled) return {};
  return replay(plan, longest);
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
  const auto ready = (*model)->Start(LongestStart(context, wanted.limits.cpu));
  if (context.stop.stop_requested()) return Canceled();
  if (!ready && (*model)->RanOutOfBudget()) {
    return TimedOut("the budget was used up before the model was ready");
  }
  evidence.became_ready = ready.has_value();
  if (ready) replay = ReplayAll(context, **model, plan, *plan.hard_max_time, evidence);
  if (evidence.stalled && context.budget().Passed()) {
    return TimedOut("the budget was used up while the answer was tried");
  }
  if (context.stop.stop_requested()) return Canceled();
  const ResourceUse measured = Summarize((*model)->SamplesOf(replay));
  evidence.throttled_share = measured.throttled_share;
  NoteDeath(**model, evidence);

  LimitedRun run;
  run.use = Summarize((*model)->AllSamples());
  // What a start reads once is no thrashing; where it came no further, it may be.
  evidence.refaults = ready && !evidence.stalled ? measured.refaults : run.use.refaults;
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
