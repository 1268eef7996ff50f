#include "server/profiling/phases/limited_run.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/profiling/phases/full_speed.h"
#include "server/profiling/phases/host_watch.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kWarmUpTime{2};
constexpr std::chrono::seconds kLaunchTime{1};
constexpr std::chrono::seconds kReferenceTime{3};
constexpr std::chrono::seconds kLeastLoad{3};
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

std::chrono::nanoseconds LongestBurst(RunContext& context) {
  return std::min<std::chrono::nanoseconds>(kLongestBurst, context.budget().Left() / 3);
}

ReplayPlan WarmUpPlan(RunContext& context) {
  ReplayPlan plan = ClosedPlan(context, context.objective().ConcurrencyOrOne(), kWarmUpTime);
  plan.max_requests = 2 * plan.order.size();
  return plan;
}

// One run, in the order it happens.
class Run {
 public:
  Run(RunContext& context, const LimitedRunPlan& wanted, RunningModel& model)
      : context_(context),
        wanted_(wanted),
        model_(model),
        plan_(ObjectivePlan(context, wanted.time, wanted.min_requests, wanted.longest)) {}

  PhaseResult<void> Go() {
    const auto ready = model_.Start(LongestStart(context_, wanted_.limits.cpu));
    ready_at_ = context_.clock.Now();
    if (ready) {
      ready_ = *ready;
      ReplayAll();
      if (IsSlowBesideTheReference()) TakeReferenceAgain();
    }
    if (context_.stop.stop_requested()) return Canceled();
    if (ready ? evidence_.stalled && context_.budget().Passed() : model_.RanOutOfBudget()) {
      return TimedOut("the budget was used up while the answer was tried");
    }
    return {};
  }

  LimitedRun Conclude() {
    const std::vector<Sample> samples = model_.AllSamples();
    LimitedRun run;
    run.use = Summarize(samples);
    run.noise = watch_.End(context_, run.use);
    run.latencies = replay_.SuccessLatencies();
    run.trial = MakeTrial(context_, model_, wanted_.purpose, plan_, began_, replay_);
    run.trial.limits = run.trial.measurements.measured_at = wanted_.limits;
    if (ready_) NoteStart(run.trial.measurements);
    run.verdict = JudgeRun(samples, run.use);
    run.trial.passed = run.verdict.passed;
    run.trial.verdict = run.verdict.sentence;
    return run;
  }

 private:
  // The heaviest rows come first, so that they come at all. Errors are counted where the
  // objective's rows come in the objective's proportions.
  void ReplayAll() {
    const auto burst = LongestBurst(context_);
    if (Survives(HeavyPlan(context_, burst), burst) &&
        Survives(WarmUpPlan(context_), kWarmUpTime)) {
      replay_ = Replay(plan_, *plan_.hard_max_time);
      evidence_.requests = std::ssize(replay_.requests);
      evidence_.failures = replay_.failures;
      evidence_.new_failures = NewFailures(context_, replay_);
    }
  }

  bool Survives(const ReplayPlan& plan, std::chrono::nanoseconds time) {
    Replay(plan, time);
    return !evidence_.died && !evidence_.stalled;
  }

  ReplayResult Replay(const ReplayPlan& plan, std::chrono::nanoseconds time) {
    ReplayResult result = model_.Replay(plan, EndOf(context_, time, model_.limits().cpu));
    evidence_.died = evidence_.died || result.target_lost;
    evidence_.stalled = evidence_.stalled || result.cut_off;
    return result;
  }

  bool IsSlowBesideTheReference() {
    // Other settings are another model, and short of memory it is slow at any CPU limit.
    if (!context_.environment.empty()) return false;
    const std::vector<Sample> samples = model_.AllSamples();
    const bool slow = JudgeRun(samples, Summarize(samples)).beside_reference;
    return slow && evidence_.refaults <= evidence_.requests / 10;
  }

  // The host may have become slower since the reference was taken: once more, in this container.
  void TakeReferenceAgain() {
    if (!model_.SetCpu(context_.ceiling.cpu)) return;
    const ReplayPlan plan = ObjectivePlan(context_, kReferenceTime, RequestsForConfidence(0.95),
                                          LongestBurst(context_));
    const ReplayResult reference =
        model_.Replay(plan, EndOf(context_, kReferenceTime, context_.ceiling.cpu));
    // What is told of the run names the limits it was at.
    if (Status back = model_.SetCpu(wanted_.limits.cpu); !back) return;
    const LatencyDistribution latencies(reference.SuccessLatencies());
    if (latencies.count() < RequestsForConfidence(0.95)) return;
    reference_now_ms_ = latencies.QuantileMs(0.95);
    NoteSlowerHost();
  }

  // What a slower host excuses is told, whether or not the limit holds beside it.
  void NoteSlowerHost() {
    NoiseEvidence drift;
    drift.host_cores = context_.host_cores;
    drift.anchors_ms = {*context_.observed.reference_p95_ms, *reference_now_ms_};
    if (drift.anchors_ms[1] > drift.anchors_ms[0]) NoteNoise(context_, drift);
  }

  void NoteStart(Measurements& measurements) const {
    measurements.start_seconds = std::chrono::duration<double>(ready_->took).count();
    measurements.start_cpu_seconds = std::chrono::duration<double>(ready_->cpu_time).count();
    measurements.start_peak_memory = ready_->peak_unreclaimable;
  }

  Verdict JudgeRun(std::span<const Sample> samples, const ResourceUse& whole_life) {
    const DeathEvidence death = model_.Death();
    evidence_.became_ready = ready_.has_value();
    evidence_.oom_kills = death.oom_kills;
    evidence_.death = DiagnoseDeath(death).message;
    evidence_.start_timed_out = death.not_ready && !death.exit_code && !death.signal;
    // A run that stalled has no measured load: all since it was ready tells of it. What a start
    // reads from a cold cache is no thrashing; a start that never ended may be.
    const ResourceUse serving =
        evidence_.stalled ? Summarize(Between(samples, ready_at_, std::chrono::nanoseconds::max()))
                          : Summarize(model_.SamplesOf(replay_));
    evidence_.throttled_share = serving.throttled_share;
    evidence_.refaults = ready_ ? serving.refaults : whole_life.refaults;
    evidence_.reference_p95_ms = std::max(context_.observed.reference_p95_ms, reference_now_ms_);
    evidence_.reference_error_share = context_.observed.reference_error_share;
    NoteRate(RateOf(plan_, replay_, AcceptableMs(context_)), evidence_);
    return Judge(evidence_, LatencyDistribution(replay_.SuccessLatencies()), context_.objective());
  }

  RunContext& context_;
  const LimitedRunPlan& wanted_;
  RunningModel& model_;
  const ReplayPlan plan_;
  const Timestamp began_ = Now();
  const HostWatch watch_{context_};
  VerificationEvidence evidence_;
  std::optional<agent_protocol::Ready> ready_;
  std::chrono::nanoseconds ready_at_{0};
  ReplayResult replay_;  // of the measured load
  std::optional<double> reference_now_ms_;
};

}  // namespace

PhaseResult<LimitedRun> RunAtLimits(RunContext& context, const LimitedRunPlan& wanted) {
  auto model = RunningModel::Launch(context, {wanted.limits, "", true});
  if (!model) return tl::unexpected<RunEnd>(model.error());
  Run run(context, wanted, **model);
  if (auto ended = run.Go(); !ended) return tl::unexpected<RunEnd>(ended.error());
  LimitedRun done = run.Conclude();
  context.recorder.Record(done.trial, done.latencies);
  NoteFullSpeed(context, done.trial);
  return done;
}

std::chrono::nanoseconds TimeBeforeLoad(const RunContext& context) {
  const auto& starts = context.observed.start_seconds;
  const double start = starts.empty() ? 0 : *std::max_element(starts.begin(), starts.end());
  const double burst_ms =
      context.observed.slowest_row_ms * static_cast<double>(context.observed.heavy_rows.size());
  return Milliseconds(start * 1000) + kLaunchTime + kWarmUpTime +
         std::min<std::chrono::milliseconds>(kLongestBurst, Milliseconds(burst_ms));
}

bool LeavesRoomToProve(RunContext& context) {
  constexpr int kRuns = 4;  // this one and the three that prove
  return context.budget().Left() > kRuns * (TimeBeforeLoad(context) + kLeastLoad);
}

}  // namespace mlprof::phases
