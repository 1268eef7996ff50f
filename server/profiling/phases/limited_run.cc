#include "server/profiling/phases/limited_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/analysis/heap.h"
#include "server/analysis/latency.h"
#include "server/analysis/proof_count.h"
#include "server/analysis/sentence.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/limited_start.h"
#include "server/profiling/phases/limited_warm_up.h"
#include "server/profiling/phases/proof_load.h"
#include "server/profiling/phases/reference_in_turns.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/workers.h"

namespace mlprof::server::phases {
namespace {

// So many times what reaching every worker took at the ceiling, and as long as other bursts.
constexpr double kSlowReach = 3;
// Of another p95, beside which a limit holds up to 1.10. Chosen, not measured.
constexpr double kClearlySlow = 1.25;
constexpr auto kForEver = std::chrono::nanoseconds::max();

std::chrono::milliseconds Milliseconds(double ms) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

// One run, in the order it happens.
class Run {
 public:
  Run(Lab& lab, const Yardstick& yardstick, const LimitedRunPlan& wanted, Container& container)
      : lab_(lab),
        yardstick_(yardstick),
        wanted_(wanted),
        container_(container),
        plan_(ObjectivePlan(yardstick.workload, container.seed(),
                            PartOf(wanted.load, yardstick.workload.objective))),
        looks_(yardstick.reference),
        beside_(yardstick.reference) {}

  PhaseResult<void> Go() {
    const auto ready = container_.Start(LongestStart(yardstick_, wanted_.limits.cpu()));
    ready_at_ = lab_.clock().Now();
    if (ready) {
      ready_ = *ready;
      if (auto replayed = ReplayAll(); !replayed) return replayed;
      if (TellsOfHost() && IsOnFasterHost(CostOfLoad())) {
        // What holds beside the slower host of before may not hold beside this one.
        faster_host_ = true;
        TakeTurn(false);
        if (fresh_ && faster_host_) TakeTurn(true);
      }
      for (const bool fresh : {false, true}) {
        if (!faster_host_ && IsSlowBesideTheReference(fresh) && !IsClear(fresh)) TakeTurn(fresh);
      }
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
    run.usual_memory = MedianUnreclaimable(Between(samples, ready_at_, kForEver));
    run.noise = watch_.End(run.use);
    run.latencies = replay_.SuccessLatencies();
    if (fresh_) run.fresh_latencies = fresh_->SuccessLatencies();
    run.look = LookAt(plan_, replay_, samples);
    run.cost = CostOfLoad();
    run.without_look = without_look_;
    run.trial = MakeTrial(container_, yardstick_.workload, wanted_.purpose, plan_, began_, replay_);
    run.trial.limits = run.trial.measurements.measured_at = wanted_.limits;
    if (ready_) AddStart(*ready_, run.trial.measurements);
    run.saw_all_rows = warm_up_.whole_pass;
    run.verdict = JudgeRun(samples, run.use);
    run.refaults = evidence_.refaults;
    if (workers_) run.workers = workers_->coverage;
    run.trial.passed = run.verdict.passed;
    run.trial.verdict = run.verdict.sentence;
    run.lacks = Lacks(run.latencies.size());
    run.reference = std::move(looks_);
    return run;
  }

 private:
  // The heaviest rows come before the load, which may be too short to reach them: first of all, or
  // once all rows were seen where first visits cost more; after it where they cost nothing any more
  // once they were seen. Errors are counted in the load alone, where each row comes as often as the
  // objective has it.
  PhaseResult<void> ReplayAll() {
    const bool each_once = yardstick_.workload.each_row_once;
    const bool seen_first = yardstick_.pace.first_pass.matters;
    if (!each_once && !seen_first && !SurvivesHeavyRows()) return {};
    if (auto warm = WarmUp(); !warm) return warm;
    if (!warm_up_.survived) return {};
    if (!each_once && seen_first && !SurvivesHeavyRows()) return {};
    if (!each_once && !SurvivesInFlight()) return {};
    // Which rows reach every worker is not known, and each may come but once where they are cached:
    // there they come after the load, and have their price at the workers that it did not reach.
    if (!each_once && !ReachesWorkers()) return {};
    MeasureLoad(BeginsTheLoad(yardstick_, plan_) ? std::move(warm_up_.all_steady) : ReplayResult());
    if (each_once && !evidence_.died && !evidence_.stalled && SurvivesHeavyRows()) ReachesWorkers();
    return {};
  }

  bool SurvivesHeavyRows() {
    const auto burst = LongestBurst();
    ReplayResult result;
    const bool survived = Survives(HeavyPlan(yardstick_.workload, burst), burst, result);
    return survived && HasRoomInHeap(result);
  }

  // A kernel kills where memory is short; a runtime with a heap of its own answers with an error,
  // and lives on. One that does so without limits as well tells nothing.
  bool HasRoomInHeap(const ReplayResult& burst) {
    const auto& failure = burst.first_failure;
    const Reference& reference = yardstick_.reference;
    if (!failure || reference.full_heap_in_bursts ||
        reference.failing_rows.contains(failure->row)) {
      return true;
    }
    evidence_.full_heap_in_burst = FullHeapWords(failure->body).value_or("");
    return evidence_.full_heap_in_burst.empty();
  }

  // As many ordinary rows as may meet one day, warm. How long they take is no matter, and neither
  // is whether all of them are answered in time: they are there for their memory.
  bool SurvivesInFlight() {
    const Workload& workload = yardstick_.workload;
    if (workload.in_flight < 2) return true;
    const auto time = std::min<std::chrono::nanoseconds>(
        std::max<std::chrono::nanoseconds>(kLongestBurst, 2 * InFlightTime(workload, Cpu())),
        lab_.budget().Left() / 3);
    const ReplayResult meeting =
        container_.Replay(InFlightPlan(workload, container_.seed(), time), EndOf(time, Cpu()));
    evidence_.died = evidence_.died || meeting.target_lost;
    return !evidence_.died && HasRoomInHeap(meeting);
  }

  Cores Cpu() const { return container_.limits().cpu(); }

  PhaseResult<void> WarmUp() {
    const auto warm_up =
        WarmUpAtLimits(lab_, yardstick_, container_,
                       [this](const ReplayPlan& plan, std::chrono::nanoseconds time,
                              ReplayResult& result) { return Survives(plan, time, result); });
    if (!warm_up) {
      return FailRun({"RuntimeFailed",
                      "the CPU limit could not be set: " + warm_up.error().message(),
                      {"run `mlprof doctor` on the server's machine"},
                      ""});
    }
    warm_up_ = *warm_up;
    return {};
  }

  void MeasureLoad(ReplayResult begun = {}) {
    replay_ = ReplayLoad(plan_, beside_, std::move(begun));
    evidence_.requests = std::ssize(replay_.requests);
    evidence_.failures = replay_.failures;
    evidence_.new_failures = NewFailures(yardstick_.reference, replay_);
    // Where rows that were seen are answered from memory they cannot come a second time.
    const bool both = yardstick_.workload.objective.connections == ConnectionUse::kBoth &&
                      !yardstick_.workload.each_row_once;
    if (both && !evidence_.died && !evidence_.stalled) MeasureFresh();
  }

  void MeasureFresh() { fresh_ = ReplayLoad(WithFreshConnections(plan_), FreshOf(beside_)); }

  // Twice at most: for the requests that are wanted, and to see a tail that is in doubt.
  ReplayResult ReplayLoad(const ReplayPlan& plan, const Reference& beside, ReplayResult load = {}) {
    const LoadTime time = PartOf(wanted_.load, yardstick_.workload.objective);
    const auto behind = load.requests.empty() ? std::nullopt : AfterBeginning(plan, load);
    if (behind) {
      warm_at_ = load.ended;
      Append(load, Replay(*behind, *behind->hard_max_time));
    } else {
      load = Replay(plan, *plan.hard_max_time);
    }
    for (int more = 0; more < 2 && !evidence_.died && !evidence_.stalled; ++more) {
      if (IsClearlySlow(beside, plan, load)) break;
      const auto rest = RestOf(plan, time, load, TailBeside(beside, plan, load));
      if (!rest) break;
      Append(load, Replay(*rest, *rest->hard_max_time));
    }
    return load;
  }

  // Where the tail is judged at all.
  std::optional<Tail> TailBeside(const Reference& beside, const ReplayPlan& plan,
                                 const ReplayResult& load) const {
    const bool judged = yardstick_.workload.objective.latency_ms.empty() && !beside.looks.empty();
    if (!judged) return std::nullopt;
    return Compare(LookAt(plan, load, container_.Samples()), beside.looks).tail;
  }

  // Each part has to prove its own.
  std::optional<std::string> Lacks(std::size_t successes) const {
    if (without_look_)
      return "the host became faster, and no undisturbed look without a CPU limit was to be had";
    const Objective& objective = yardstick_.workload.objective;
    auto lacks = LacksForProof(objective, successes, ServingSeconds(plan_, replay_));
    if (lacks || !fresh_) return lacks;
    if (objective.latency_ms.empty() && yardstick_.reference.fresh_looks.empty()) {
      return "rows with a connection each were never measured without a CPU limit";
    }
    return LacksForProof(objective, fresh_->SuccessLatencies().size(),
                         ServingSeconds(plan_, *fresh_));
  }

  // Every serving process has its first row before the measured load, which may reach one of them
  // only. False where the rest is not worth running: what was killed for memory tells enough.
  bool ReachesWorkers() {
    const Pace& pace = yardstick_.pace;
    const double seconds =
        kSlowReach * (pace.reach_seconds + pace.reach_cpu_seconds / wanted_.limits.cpu().value());
    const std::chrono::nanoseconds time = kLongestBurst + Milliseconds(seconds * 1000);
    workers_ = ReachWorkers(lab_, container_, yardstick_.workload, [&](const ReplayPlan& plan) {
      const bool stalled = evidence_.stalled;
      const ReplayResult burst = Replay(plan, time);
      // A connection that nobody accepts while others are held has no answer at any CPU limit.
      if (plan.connections.policy == agent_protocol::Connections::Policy::kManyHeld) {
        evidence_.stalled = stalled;
      }
      return burst;
    });
    return !evidence_.died && !evidence_.stalled && container_.OomKills() == 0;
  }

  bool Survives(const ReplayPlan& plan, std::chrono::nanoseconds time, ReplayResult& result) {
    result = Replay(plan, time);
    return !evidence_.died && !evidence_.stalled;
  }

  ReplayResult Replay(const ReplayPlan& plan, std::chrono::nanoseconds time) {
    ReplayResult result = container_.Replay(plan, EndOf(time, container_.limits().cpu()));
    evidence_.died = evidence_.died || result.target_lost;
    evidence_.stalled = evidence_.stalled || result.cut_off;
    return result;
  }

  bool IsSlowBesideTheReference(bool fresh) {
    // With other settings (thread pools) it is another model, to which the reference does not
    // apply; and one that reads its pages again and again is slow at any CPU limit.
    if (!yardstick_.setup.environment.empty()) return false;
    // All rows were seen by now, and tell nothing of rows that were not.
    if (yardstick_.workload.each_row_once) return false;
    const std::vector<Sample> samples = container_.Samples();
    const Verdict verdict = JudgeRun(samples, Summarize(samples));
    refused_for_tail_ = verdict.tail.has_value();
    return verdict.beside_reference && verdict.fresh == fresh &&
           evidence_.refaults <= evidence_.requests / 10;
  }

  // With other settings it is another model; what a rate costs that is not kept up with tells
  // nothing of the host; and an objective for latency is not judged beside a reference.
  bool TellsOfHost() const {
    return yardstick_.setup.environment.empty() && !plan_.open_loop &&
           yardstick_.workload.objective.latency_ms.empty() && !evidence_.died &&
           !evidence_.stalled;
  }

  std::optional<double> CostOfLoad() const {
    return CostBeside(beside_, yardstick_.workload, container_, replay_);
  }

  bool IsClear(bool fresh) const {
    return fresh ? IsClearlySlow(FreshOf(beside_), WithFreshConnections(plan_), *fresh_)
                 : IsClearlySlow(beside_, plan_, replay_);
  }

  // One of several that decide together is so slow that no quiet host makes the difference, nor one
  // that became slower: more requests, or a turn with the reference, would show nothing else.
  bool IsClearlySlow(const Reference& beside, const ReplayPlan& plan,
                     const ReplayResult& load) const {
    const bool judged_beside =
        yardstick_.setup.environment.empty() && yardstick_.workload.objective.latency_ms.empty();
    if (!wanted_.once || !judged_beside || lab_.host().noisy()) return false;
    const auto cost = CostBeside(beside, yardstick_.workload, container_, load);
    if (!cost || IsOnSlowerHost(cost)) return false;
    const auto pair = Compare(LookAt(plan, load), beside.looks);
    return pair.p95_ms && pair.reference_p95_ms &&
           *pair.p95_ms > kClearlySlow * *pair.reference_p95_ms;
  }

  // Limit, reference, limit: the host may have become slower since the references were taken, or
  // have been disturbed while this limit was measured.
  void TakeTurn(bool fresh) {
    const auto now = TakeReference(fresh);
    without_look_ = without_look_ || (faster_host_ && !now);
    if (!now) return;
    // Threads that wait actively burn nothing while a quota stops them: cheaper, on the same host.
    const auto cost = CostBeside(beside_, *now);
    if (!fresh && cost && !IsOnFasterHost(cost)) faster_host_ = false;
    if (fresh) {
      beside_ = OnlyWithFresh(std::move(beside_), *now);
      looks_ = faster_host_ ? OnlyWithFresh(std::move(looks_), *now)
                            : WithFreshLook(std::move(looks_), *now);
      if (IsSlowBesideTheReference(fresh) && HoldsAnotherTurn()) MeasureFresh();
      return;
    }
    // What a slower host excuses is told, whether or not the limit holds beside it.
    beside_ = OnlyWith(beside_, *now);
    const double before = *yardstick_.reference.p95_ms;
    if (faster_host_ || *beside_.p95_ms > before) {
      lab_.host().JudgeDrift(before, *beside_.p95_ms);
    }
    looks_ = faster_host_ ? OnlyWith(looks_, *now) : WithLook(std::move(looks_), *now);
    if (!IsSlowBesideTheReference(fresh) || !HoldsAnotherTurn()) return;
    MeasureLoad();
    // What holds now would hold beside the slower host of the look that was just taken, too.
    without_look_ = without_look_ || (TellsOfHost() && IsOnFasterHost(CostOfLoad()));
  }

  // In this container; nullopt where it saw too little, or was disturbed.
  std::optional<Look> TakeReference(bool fresh) {
    const std::size_t for_tail = RequestsForConfidence(0.99);
    const bool tail_counts =
        yardstick_.workload.objective.latency_ms.empty() && wanted_.load.min_requests >= for_tail;
    // Of a faster host there is no other look whose p99 the run could fail beside.
    const bool tail_decides = refused_for_tail_ || (faster_host_ && tail_counts);
    auto look = LookWithoutLimit(lab_, yardstick_, container_,
                                 {fresh, tail_counts, tail_decides, 2 * LongestBurst()});
    if (!look) return std::nullopt;
    // No limit makes a model faster: a look that is slower than the run at the limit was disturbed,
    // by other work or by pages that had to be read again, and excuses nothing.
    const auto pair = Compare(LookAt(plan_, fresh ? *fresh_ : replay_), {&*look, 1});
    if (!pair.p95_ms || *pair.reference_p95_ms <= kClearlySlow * *pair.p95_ms) return look;
    lab_.host().JudgeDrift(*pair.p95_ms, *pair.reference_p95_ms);
    return std::nullopt;
  }

  // With as much left for whoever comes after.
  bool HoldsAnotherTurn() {
    return !wanted_.once && !evidence_.died && lab_.budget().Left() > 2 * *plan_.hard_max_time;
  }

  // Within which a replay of `time` must have its last response.
  Deadline EndOf(std::chrono::nanoseconds time, Cores cpu) {
    return lab_.budget().AtMost(LongestReplay(yardstick_.pace, time, cpu));
  }

  std::chrono::nanoseconds LongestBurst() {
    return std::min<std::chrono::nanoseconds>(kLongestBurst, lab_.budget().Left() / 3);
  }

  Verdict JudgeRun(std::span<const Sample> samples, const ResourceUse& whole_life) {
    const DeathEvidence death = container_.Death();
    evidence_.became_ready = ready_.has_value();
    evidence_.oom_kills = death.oom_kills;
    evidence_.death = DiagnoseDeath(death).message;
    evidence_.start_timed_out = death.not_ready && !death.exit_code && !death.signal;
    JudgeStart(ready_, yardstick_.workload.objective, lab_.subject().config.start_timeout,
               evidence_);
    // A run that stalled has no measured load: everything since it was ready is judged. The pages
    // that a start reads from a cold cache are no sign of too little memory, unless it never ended.
    const ResourceUse serving = evidence_.stalled ? Summarize(Between(samples, ready_at_, kForEver))
                                                  : Summarize(container_.SamplesOf(replay_));
    evidence_.throttled_share = serving.throttled_share;
    const auto warm = Between(samples, std::max(warm_at_, replay_.began), replay_.ended);
    evidence_.refaults = !ready_             ? whole_life.refaults
                         : evidence_.stalled ? serving.refaults
                                             : Summarize(warm).refaults;
    const Objective& objective = yardstick_.workload.objective;
    evidence_.reference_error_share = yardstick_.reference.error_share;
    SetHeap(yardstick_.at_ceiling, replay_, {whole_life, serving, death.log_tail}, evidence_);
    SetBeside(beside_, plan_, LookAt(plan_, replay_, samples), evidence_);
    SetRate(RateOf(plan_, replay_, AcceptableMs(beside_, objective)), evidence_);
    const Verdict verdict =
        Judge(evidence_, LatencyDistribution::ByRow(CountedVisits(plan_, replay_)), objective);
    return verdict.passed ? JudgeRest(verdict) : verdict;
  }

  // What else has to hold where the measured load did.
  Verdict JudgeRest(Verdict verdict) {
    if (fresh_) {
      const Verdict fresh = JudgeFresh(yardstick_.workload, beside_, WithFreshConnections(plan_),
                                       *fresh_, container_.SamplesOf(*fresh_));
      if (!fresh.passed) return fresh;
      const bool slower =
          fresh.tail && (!verdict.tail || verdict.tail->p99_ms < fresh.tail->p99_ms);
      if (slower) verdict.tail = fresh.tail;
    }
    if (workers_ && !workers_->coverage.complete()) return NotReached(workers_->coverage);
    return verdict;
  }

  Lab& lab_;
  const Yardstick& yardstick_;
  const LimitedRunPlan& wanted_;
  Container& container_;
  const ReplayPlan plan_;
  const Timestamp began_ = Now();
  const HostWatch::Stretch watch_ = container_.WatchHost();
  VerificationEvidence evidence_;
  LimitedWarmUp warm_up_;
  bool faster_host_ = false;       // than when the references were taken
  bool without_look_ = false;      // of that host, which it would have to be judged beside
  bool refused_for_tail_ = false;  // slow beside the reference by nothing but its tail
  std::optional<agent_protocol::Ready> ready_;
  std::chrono::nanoseconds ready_at_{0};
  std::chrono::nanoseconds warm_at_{0};  // pages that are read before are read for the first time
  ReplayResult replay_;                  // of the measured load
  std::optional<ReplayResult> fresh_;    // of its part with a connection for each request
  std::optional<WorkersSeen> workers_;
  Reference looks_;   // all so far
  Reference beside_;  // those that it is judged by
};

}  // namespace

PhaseResult<LimitedRun> RunAtLimits(Lab& lab, const Yardstick& yardstick,
                                    const LimitedRunPlan& wanted) {
  MLPROF_LET(container, lab.Launch({wanted.limits, yardstick.setup, lab.NextSeed(),
                                    PageCache::kCold, Use::kObjective}));
  Run run(lab, yardstick, wanted, *container);
  auto gone = run.Go();
  if (gone && container->WasEndedForDisk()) gone = FailRun(DiagnoseDeath(container->Death()));
  std::optional<LimitedRun> done;
  if (gone) {
    done = run.Conclude();
    lab.Record(done->trial);
  }
  container->Close();
  if (!gone) return tl::unexpected<RunEnd>(gone.error());
  return *std::move(done);
}

}  // namespace mlprof::server::phases
