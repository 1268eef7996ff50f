#include "server/profiling/phases/limited_run.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

// Chosen, not measured: what fits several times into the share of the budget that proves an answer.
constexpr std::chrono::seconds kWarmUpTime{2};
constexpr std::chrono::seconds kLaunchTime{1};  // four times what one takes (docs/decisions, 6)
constexpr std::chrono::seconds kReferenceTime{3};
constexpr std::chrono::seconds kLeastLoad{3};
// A model short of memory may take hours where it took seconds: a start or a row that takes so many
// times its usual time, and the least below, is given up. Chosen, not measured.
constexpr double kSlowStart = 3;
constexpr double kSlowRow = 20;
constexpr std::chrono::milliseconds kLeastStart{10'000};
constexpr std::chrono::milliseconds kLeastRow{3'000};

std::chrono::milliseconds Milliseconds(double ms) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

std::chrono::milliseconds LongestStart(const Pace& pace, Cores cpu) {
  const double seconds = pace.start_seconds + pace.start_cpu_seconds / cpu.value();
  return std::max(kLeastStart, Milliseconds(kSlowStart * seconds * 1000));
}

// Within which a replay of `time` must have its last response.
std::chrono::nanoseconds LongestReplay(const Pace& pace, std::chrono::nanoseconds time, Cores cpu) {
  const double slowest_ms = pace.slowest_row_ms / std::min(1.0, cpu.value());
  return time + std::max(kLeastRow, Milliseconds(kSlowRow * slowest_ms));
}

ReplayPlan WarmUpPlan(const Workload& workload) {
  ReplayPlan plan = ClosedPlan(workload, workload.objective.ConcurrencyOrOne(), kWarmUpTime);
  plan.max_requests = 2 * plan.order.size();
  return plan;
}

// One run, in the order it happens.
class Run {
 public:
  Run(Lab& lab, const Yardstick& yardstick, const LimitedRunPlan& wanted, Container& container)
      : lab_(lab),
        yardstick_(yardstick),
        wanted_(wanted),
        container_(container),
        plan_(ObjectivePlan(yardstick.workload, container.seed(), wanted.load)) {}

  PhaseResult<void> Go() {
    const auto ready = container_.Start(LongestStart(yardstick_.pace, wanted_.limits.cpu()));
    ready_at_ = lab_.clock().Now();
    if (ready) {
      ready_ = *ready;
      ReplayAll();
      if (IsSlowBesideTheReference()) TakeReferenceAgain();
    }
    if (lab_.stopped()) return Canceled();
    if (ready ? evidence_.stalled && lab_.budget().Passed() : container_.RanOutOfBudget()) {
      return TimedOut("the budget was used up while the answer was tried");
    }
    return {};
  }

  LimitedRun Conclude() {
    const std::vector<Sample> samples = container_.Samples();
    LimitedRun run;
    run.use = Summarize(samples);
    run.noise = watch_.End(run.use);
    run.latencies = replay_.SuccessLatencies();
    run.trial = MakeTrial(container_, yardstick_.workload, wanted_.purpose, plan_, began_, replay_);
    run.trial.limits = run.trial.measurements.measured_at = wanted_.limits;
    if (ready_) AddStart(run.trial.measurements);
    run.verdict = JudgeRun(samples, run.use);
    run.trial.passed = run.verdict.passed;
    run.trial.verdict = run.verdict.sentence;
    run.reference =
        Fastest(yardstick_.reference, run.trial, yardstick_.workload, lab_.ceiling().cpu());
    return run;
  }

 private:
  // The heaviest rows come first, because the load may be too short to reach them. Errors are
  // counted in the load alone, where each row comes as often as the objective has it.
  void ReplayAll() {
    const auto burst = LongestBurst();
    if (Survives(HeavyPlan(yardstick_.workload, burst), burst) &&
        Survives(WarmUpPlan(yardstick_.workload), kWarmUpTime)) {
      replay_ = Replay(plan_, *plan_.hard_max_time);
      evidence_.requests = std::ssize(replay_.requests);
      evidence_.failures = replay_.failures;
      evidence_.new_failures = NewFailures(yardstick_.reference, replay_);
    }
  }

  bool Survives(const ReplayPlan& plan, std::chrono::nanoseconds time) {
    Replay(plan, time);
    return !evidence_.died && !evidence_.stalled;
  }

  ReplayResult Replay(const ReplayPlan& plan, std::chrono::nanoseconds time) {
    ReplayResult result = container_.Replay(plan, EndOf(time, container_.limits().cpu()));
    evidence_.died = evidence_.died || result.target_lost;
    evidence_.stalled = evidence_.stalled || result.cut_off;
    return result;
  }

  bool IsSlowBesideTheReference() {
    // With other settings (thread pools) it is another model, to which the reference does not
    // apply; and one that reads its pages again and again is slow at any CPU limit.
    if (!yardstick_.setup.environment.empty()) return false;
    const std::vector<Sample> samples = container_.Samples();
    const bool slow = JudgeRun(samples, Summarize(samples)).beside_reference;
    return slow && evidence_.refaults <= evidence_.requests / 10;
  }

  // Takes the reference again, in this container with the limit lifted: the host may have become
  // slower since it was taken.
  void TakeReferenceAgain() {
    const Cores ceiling = lab_.ceiling().cpu();
    if (!container_.SetCpu(ceiling)) return;
    const ReplayPlan plan =
        ObjectivePlan(yardstick_.workload, container_.seed(),
                      {kReferenceTime, RequestsForConfidence(0.95), LongestBurst()});
    const ReplayResult reference = container_.Replay(plan, EndOf(kReferenceTime, ceiling));
    // Back to the limits of the run, by which it is named from here on.
    if (Status back = container_.SetCpu(wanted_.limits.cpu()); !back) return;
    const LatencyDistribution latencies(reference.SuccessLatencies());
    if (latencies.count() < RequestsForConfidence(0.95)) return;
    reference_now_ms_ = latencies.QuantileMs(0.95);
    // What a slower host excuses is told, whether or not the limit holds beside it.
    const double before = *yardstick_.reference.p95_ms;
    if (*reference_now_ms_ > before) lab_.host().JudgeDrift(before, *reference_now_ms_);
  }

  // Within which a replay of `time` must have its last response.
  Deadline EndOf(std::chrono::nanoseconds time, Cores cpu) {
    return lab_.budget().AtMost(LongestReplay(yardstick_.pace, time, cpu));
  }

  std::chrono::nanoseconds LongestBurst() {
    return std::min<std::chrono::nanoseconds>(kLongestBurst, lab_.budget().Left() / 3);
  }

  void AddStart(Measurements& measurements) const {
    measurements.start_seconds = std::chrono::duration<double>(ready_->took).count();
    measurements.start_cpu_seconds = std::chrono::duration<double>(ready_->cpu_time).count();
    measurements.start_peak_memory = ready_->peak_unreclaimable;
  }

  Verdict JudgeRun(std::span<const Sample> samples, const ResourceUse& whole_life) {
    const DeathEvidence death = container_.Death();
    evidence_.became_ready = ready_.has_value();
    evidence_.oom_kills = death.oom_kills;
    evidence_.death = DiagnoseDeath(death).message;
    evidence_.start_timed_out = death.not_ready && !death.exit_code && !death.signal;
    // A run that stalled has no measured load: everything since it was ready is judged. The pages
    // that a start reads from a cold cache are no sign of too little memory, unless it never ended.
    const ResourceUse serving =
        evidence_.stalled ? Summarize(Between(samples, ready_at_, std::chrono::nanoseconds::max()))
                          : Summarize(container_.SamplesOf(replay_));
    evidence_.throttled_share = serving.throttled_share;
    evidence_.refaults = ready_ ? serving.refaults : whole_life.refaults;
    const Reference& reference = yardstick_.reference;
    const Objective& objective = yardstick_.workload.objective;
    evidence_.reference_p95_ms = std::max(reference.p95_ms, reference_now_ms_);
    evidence_.reference_error_share = reference.error_share;
    SetRate(RateOf(plan_, replay_, AcceptableMs(reference, objective)), evidence_);
    return Judge(evidence_, LatencyDistribution(replay_.SuccessLatencies()), objective);
  }

  Lab& lab_;
  const Yardstick& yardstick_;
  const LimitedRunPlan& wanted_;
  Container& container_;
  const ReplayPlan plan_;
  const Timestamp began_ = Now();
  const HostWatch::Stretch watch_ = container_.WatchHost();
  VerificationEvidence evidence_;
  std::optional<agent_protocol::Ready> ready_;
  std::chrono::nanoseconds ready_at_{0};
  ReplayResult replay_;  // of the measured load
  std::optional<double> reference_now_ms_;
};

}  // namespace

PhaseResult<LimitedRun> RunAtLimits(Lab& lab, const Yardstick& yardstick,
                                    const LimitedRunPlan& wanted) {
  MLPROF_LET(container, lab.Launch({wanted.limits, yardstick.setup, lab.NextSeed(),
                                    PageCache::kCold, Use::kObjective}));
  Run run(lab, yardstick, wanted, *container);
  const auto gone = run.Go();
  std::optional<LimitedRun> done;
  if (gone) {
    done = run.Conclude();
    lab.Record(done->trial);
  }
  container->Close();
  if (!gone) return tl::unexpected<RunEnd>(gone.error());
  return *std::move(done);
}

std::chrono::nanoseconds TimeBeforeLoad(const Yardstick& yardstick) {
  const double burst_ms =
      yardstick.pace.slowest_row_ms * static_cast<double>(yardstick.workload.heavy.size());
  return Milliseconds(yardstick.pace.start_seconds * 1000) + kLaunchTime + kWarmUpTime +
         std::min<std::chrono::milliseconds>(kLongestBurst, Milliseconds(burst_ms));
}

bool LeavesRoomToProve(const Budget& budget, const Yardstick& yardstick) {
  constexpr int kRuns = 4;  // this one and the three that prove
  return budget.Left() > kRuns * (TimeBeforeLoad(yardstick) + kLeastLoad);
}

}  // namespace mlprof::server::phases
