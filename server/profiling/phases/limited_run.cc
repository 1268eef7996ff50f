#include "server/profiling/phases/limited_run.h"

#include <span>
#include <utility>

#include "server/analysis/diagnosis.h"
#include "server/analysis/heap.h"
#include "server/analysis/latency.h"
#include "server/profiling/phases/limited_replay.h"
#include "server/profiling/phases/limited_start.h"
#include "server/profiling/phases/limited_verdict.h"
#include "server/profiling/phases/reference_in_turns.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

// A JVM on a fifth of a core was as quick as it gets after some 200 requests, which four loads
// hold. Equal loads differ by less than a tenth. Chosen, not measured.
constexpr int kLoadsOfCompiler = 4;
constexpr double kStillCompiles = 0.9;

// One run, in the order it happens.
class Run {
 public:
  Run(Lab& lab, const Yardstick& yardstick, const LimitedRunPlan& wanted, Container& container)
      : lab_(lab),
        yardstick_(yardstick),
        wanted_(wanted),
        container_(container),
        replay_(lab, yardstick, wanted, container),
        looks_(yardstick.reference),
        beside_(yardstick.reference) {}

  PhaseResult<void> Go() {
    const auto ready = container_.Start(LongestStart(yardstick_, wanted_.limits.cpu()));
    seen_.ready_at = lab_.clock().Now();
    if (ready) {
      seen_.ready = *ready;
      if (auto replayed = replay_.ReplayAll(); !replayed) return replayed;
      OutlastCompiler();
      TakeTurns();
    }
    if (lab_.stopped()) return Canceled();
    const bool ran_out = ready ? facts().stalled && lab_.budget().Passed()  //
                               : container_.RanOutOfBudget();
    if (ran_out) return TimedOut("the budget was used up while the answer was tried");
    return {};
  }

  /// The container is not at its limits any more.
  bool lifted() const { return lifted_at_.has_value(); }

  LimitedRun Conclude() {
    const std::vector<Sample> all = container_.Samples();
    const auto samples = Between(all, std::chrono::nanoseconds(0), lifted_at_.value_or(kForEver));
    const ReplayPlan& plan = replay_.plan();
    LimitedRun run;
    run.use = Summarize(samples);
    run.usual_memory = MedianUnreclaimable(Between(samples, seen_.ready_at, kForEver));
    run.noise = watch_.End(Summarize(all));
    run.latencies = facts().load.SuccessLatencies();
    if (facts().fresh) run.fresh_latencies = facts().fresh->SuccessLatencies();
    run.look = LookAt(plan, facts().load, samples);
    run.cost = CostOfLoad();
    run.without_look = without_look_;
    run.trial =
        MakeTrial(container_, yardstick_.workload, wanted_.purpose, plan, began_, facts().load);
    run.trial.limits = run.trial.measurements.measured_at = wanted_.limits;
    if (seen_.ready) {
      AddStart(*seen_.ready, run.trial.measurements);
      run.address_space = seen_.ready->address_space;
    }
    run.saw_all_rows = facts().warm_up.whole_pass;
    const JudgedRun judged = JudgeAsItIs(samples, run.use);
    run.verdict = judged.verdict;
    run.read_back = judged.evidence.read_back;
    run.killed = judged.evidence.oom_kills > 0;
    run.failed_in_burst = facts().failed_in_burst;
    if (facts().workers) run.workers = facts().workers->coverage;
    run.trial.passed = run.verdict.passed;
    run.trial.verdict = run.verdict.sentence;
    run.lacks = Lacks();
    run.reference = std::move(looks_);
    return run;
  }

 private:
  const LimitedReplayFacts& facts() const { return replay_.facts(); }

  JudgedRun JudgeAsItIs(std::span<const Sample> samples, const ResourceUse& whole_life) const {
    return JudgeLimitedRun(seen_, beside_, lab_.subject().config.start_timeout, samples,
                           whole_life);
  }

  std::optional<std::string> Lacks() const {
    if (without_look_) {
      return "the host became faster, or the limit makes requests cheaper, and no undisturbed look "
             "without a CPU limit was to be had";
    }
    return LacksForProofOf(seen_);
  }

  // A runtime that compiles as it runs takes more for a request at first, as one does whose heap is
  // full. Of the two that of the compiler falls.
  void OutlastCompiler() {
    if (!MayReplayAgain()) return;
    auto cost = CollectingCost();
    for (int load = 0; cost && load < kLoadsOfCompiler && HoldsAnotherTurn(); ++load) {
      replay_.MeasureLoad(beside_);
      const auto now = CollectingCost();
      if (now && *now > kStillCompiles * *cost) return;
      cost = now;
    }
  }

  std::optional<double> CollectingCost() const {
    const std::vector<Sample> samples = container_.Samples();
    return JudgeAsItIs(samples, Summarize(samples)).verdict.collecting_cost;
  }

  void TakeTurns() {
    // A few rows that a process meets cold are a tail.
    if (facts().began_warming && HasTimeForAnother() && IsSlowBesideTheReference(false) &&
        refused_for_tail_) {
      replay_.MeasureLoad(beside_);
    }
    if (TellsOfHost() && IsOnFasterHost(CostOfLoad()) && !HoldsOnAnyFasterHost()) {
      // What holds beside the slower host of before may not hold beside this one.
      faster_host_ = true;
      TakeTurn(false);
      if (facts().fresh && faster_host_) TakeTurn(true);
    }
    for (const bool fresh : {false, true}) {
      if (cheaper_by_limit_ && !fresh) continue;  // its turn was taken
      if (!fresh && HoldsOnSlowerHost()) continue;
      if (!faster_host_ && IsSlowBesideTheReference(fresh) && !IsClear(fresh)) TakeTurn(fresh);
    }
    if (MayBeSlowByItsPages()) TakeTurnWithAllMemory();
  }

  // A few pages read back for a request cost next to nothing on one disk, and its latency on
  // another.
  bool MayBeSlowByItsPages() {
    if (!MayReplayAgain() || !yardstick_.workload.objective.latency_ms.empty()) return false;
    const std::vector<Sample> samples = container_.Samples();
    const JudgedRun judged = JudgeAsItIs(samples, Summarize(samples));
    const Verdict& verdict = judged.verdict;
    // What missed the objective, or over fresh connections, no such look excuses; and a heap that
    // its limit sized stays as it is with all memory.
    const bool excusable = !verdict.misses_objective && !verdict.fresh &&
                           judged.evidence.collecting_cost.value_or(0) < kCollectingCost;
    return excusable && verdict.slow_by_pages() && judged.evidence.read_back.few() &&
           HasTimeForAnother();
  }

  // With it next to nothing is read back, and what is as slow then is not so by its pages. The last
  // turn: the container does not get its limits again.
  void TakeTurnWithAllMemory() {
    lifted_at_ = lab_.clock().Now();
    const auto now = TakeReference({.all_memory = true});
    if (!now) return;
    beside_ = OnlyWith(beside_, *now);
    const auto& before = yardstick_.reference.p95_ms;
    if (before && beside_.p95_ms && *beside_.p95_ms > *before) {
      lab_.host().JudgeDrift(*before, *beside_.p95_ms);
    }
    looks_ = WithLook(looks_, *now);
  }

  // With other settings (thread pools) it is another model, to which the reference does not apply;
  // and rows that were all seen by now tell nothing of rows that were not.
  bool MayReplayAgain() const {
    return yardstick_.setup.environment.empty() && !yardstick_.workload.each_row_once;
  }

  bool IsSlowBesideTheReference(bool fresh) {
    // One that reads its pages again and again is slow at any CPU limit.
    if (!MayReplayAgain()) return false;
    const std::vector<Sample> samples = container_.Samples();
    const JudgedRun judged = JudgeAsItIs(samples, Summarize(samples));
    refused_for_tail_ = judged.verdict.tail.has_value();
    return judged.verdict.beside_reference && judged.verdict.fresh == fresh &&
           judged.evidence.read_back.pages <= judged.evidence.read_back.requests / 10;
  }

  // With other settings it is another model; what a rate costs that is not kept up with tells
  // nothing of the host; and an objective for latency is not judged beside a reference.
  bool TellsOfHost() const {
    return yardstick_.setup.environment.empty() && !replay_.plan().open_loop &&
           yardstick_.workload.objective.latency_ms.empty() && facts().serves();
  }

  // It holds beside the reference even as that would be if all of its latency had shrunk with the
  // work: no look of now could say otherwise.
  bool HoldsOnAnyFasterHost() {
    // What kept the references waiting may be gone: then latency shrank by more than the work. And
    // of fresh connections the cost is another.
    if (lab_.host().busy() || facts().fresh) return false;
    const double cost = *CostOfLoad();
    // Few hosts change so much within a profile: it may be the limit, and a look tells.
    if (IsAnotherHost(cost)) return false;
    Reference scaled = OnHostOfCost(beside_, cost);
    if (!HoldsBeside(scaled)) return false;
    lab_.host().JudgeDrift(*beside_.p95_ms, *scaled.p95_ms);
    beside_ = std::move(scaled);
    return true;
  }

  // Its requests cost more than without a limit, it holds beside the reference as that would be on
  // a host where they do, and the quota stopped it for no longer than it may: a limit that makes
  // requests dearer does so by its stops.
  bool HoldsOnSlowerHost() {
    if (faster_host_ || facts().fresh || !TellsOfHost()) return false;
    const auto cost = CostOfLoad();
    if (!cost || *cost <= 1 || IsAnotherHost(*cost) || !IsSlowBesideTheReference(false)) {
      return false;
    }
    const Look unstopped =
        LookAt(replay_.plan(), WithoutStops(facts().load, container_.SamplesOf(facts().load)));
    Reference scaled = OnHostOfCost(beside_, *cost);
    if (!HoldsBeside(scaled) || !HoldsBeside(OnlyWith(beside_, unstopped))) return false;
    lab_.host().JudgeDrift(*beside_.p95_ms, *scaled.p95_ms);
    beside_ = std::move(scaled);
    return true;
  }

  bool HoldsBeside(const Reference& reference) const {
    const std::vector<Sample> samples = container_.Samples();
    return JudgeLimitedRun(seen_, reference, lab_.subject().config.start_timeout, samples,
                           Summarize(samples))
        .verdict.passed;
  }

  std::optional<double> CostOfLoad() const {
    return CostBeside(beside_, yardstick_.workload, container_, facts().load);
  }

  bool IsClear(bool fresh) const {
    if (!wanted_.once || !yardstick_.setup.environment.empty()) return false;
    const Workload& workload = yardstick_.workload;
    if (!fresh) {
      return IsClearlySlow(lab_, {workload, container_, replay_.plan(), facts().load}, beside_);
    }
    const ReplayPlan plan = WithFreshConnections(replay_.plan());
    return IsClearlySlow(lab_, {workload, container_, plan, *facts().fresh}, FreshOf(beside_));
  }

  // Limit, reference, limit: the host may have become slower since the references were taken, or
  // have been disturbed while this limit was measured.
  void TakeTurn(bool fresh) {
    const auto now = TakeReference({.fresh = fresh});
    without_look_ = without_look_ || (faster_host_ && !now);
    if (!now) return;
    if (!fresh && IsOnTheSameHost(*now)) SeeThatTheLimitMakesItCheaper();
    fresh ? JudgeFreshBeside(*now) : JudgeBeside(*now);
  }

  void JudgeFreshBeside(const Look& now) {
    beside_ = OnlyWithFresh(std::move(beside_), now);
    looks_ = faster_host_ ? OnlyWithFresh(std::move(looks_), now)
                          : WithFreshLook(std::move(looks_), now);
    if (!IsSlowBesideTheReference(true) || !HoldsAnotherTurn()) return;
    replay_.MeasureFresh(beside_);
    const auto cost = CostBeside(FreshOf(beside_), yardstick_.workload, container_, *facts().fresh);
    without_look_ = without_look_ || HoldsOnFasterHost(cost);
  }

  void JudgeBeside(const Look& now) {
    // What a slower host excuses is told, whether or not the limit holds beside it.
    beside_ = OnlyWith(beside_, now);
    const double before = *yardstick_.reference.p95_ms;
    if (faster_host_ || *beside_.p95_ms > before) {
      lab_.host().JudgeDrift(before, *beside_.p95_ms);
    }
    looks_ = faster_host_ ? OnlyWith(looks_, now) : WithLook(std::move(looks_), now);
    // A beginning that was not steady may have been a cold one.
    const bool in_doubt =
        facts().began_warming && facts().warm_up.as_fast_as_it_gets && HasTimeForAnother();
    if (!IsSlowBesideTheReference(false) || !(in_doubt || HoldsAnotherTurn())) return;
    replay_.MeasureLoad(beside_);
    // What holds now would hold beside the slower host of the look that was just taken, too.
    without_look_ = without_look_ || HoldsOnFasterHost(CostOfLoad());
  }

  bool HoldsOnFasterHost(const std::optional<double>& cost) const {
    return !cheaper_by_limit_ && TellsOfHost() && IsOnFasterHost(cost);
  }

  // In this container; nullopt where it saw too little, or was disturbed.
  std::optional<Look> TakeReference(TurnPlan turn) {
    const std::size_t for_tail = RequestsForConfidence(0.99);
    turn.tail_counts =
        yardstick_.workload.objective.latency_ms.empty() && wanted_.load.min_requests >= for_tail;
    // Of a faster host, or with all memory, there is no other look whose p99 the run could fail
    // beside.
    turn.tail_decides =
        refused_for_tail_ || ((faster_host_ || turn.all_memory) && turn.tail_counts);
    turn.longest = 2 * replay_.LongestBurst();
    auto look = LookWithoutLimit(lab_, yardstick_, container_, turn);
    if (!look) return std::nullopt;
    // A look that is slower than the run at the limit was disturbed, by other work or by pages that
    // had to be read again, and excuses nothing; unless the limit makes rows cheaper, which may
    // make them faster: there it excuses nothing either, and tells of no disturbance.
    const auto pair =
        Compare(LookAt(replay_.plan(), turn.fresh ? *facts().fresh : facts().load), {&*look, 1});
    if (!pair.p95_ms || *pair.reference_p95_ms <= kClearlySlow * *pair.p95_ms) return look;
    if (!turn.fresh && IsOnTheSameHost(*look) && IsAsSlowAsBefore(*look)) {
      SeeThatTheLimitMakesItCheaper();
    } else {
      lab_.host().JudgeDrift(*pair.p95_ms, *pair.reference_p95_ms);
    }
    return std::nullopt;
  }

  // Threads that wait actively burn nothing while a quota stops them, and fewer of them fight for
  // what they share: rows that cost less than without a limit, on the same host.
  void SeeThatTheLimitMakesItCheaper() {
    faster_host_ = false;
    cheaper_by_limit_ = true;
  }

  bool IsOnTheSameHost(const Look& now) const {
    const auto cost = CostBeside(beside_, now);
    return faster_host_ && cost && !IsOnFasterHost(cost);
  }

  bool IsAsSlowAsBefore(const Look& now) const {
    const auto pair = Compare(now, beside_.looks);
    return pair.p95_ms && *pair.p95_ms <= kReferenceTolerance * *pair.reference_p95_ms;
  }

  // With as much left for whoever comes after.
  bool HasTimeForAnother() {
    return !facts().died && lab_.budget().Left() > 2 * *replay_.plan().hard_max_time;
  }
  bool HoldsAnotherTurn() { return !wanted_.once && HasTimeForAnother(); }

  Lab& lab_;
  const Yardstick& yardstick_;
  const LimitedRunPlan& wanted_;
  Container& container_;
  const Timestamp began_ = Now();
  const HostWatch::Stretch watch_ = container_.WatchHost();
  LimitedReplay replay_;
  LimitedRunSeen seen_{container_, yardstick_, replay_};
  bool faster_host_ = false;       // than when the references were taken
  bool cheaper_by_limit_ = false;  // it seemed so, and a look told that the host is the same
  bool without_look_ = false;      // of that host, which it would have to be judged beside
  std::optional<std::chrono::nanoseconds> lifted_at_;
  bool refused_for_tail_ = false;  // slow beside the reference by nothing but its tail
  Reference looks_;                // all so far
  Reference beside_;               // those that it is judged by
};

}  // namespace

PhaseResult<LimitedRun> RunAtLimits(Lab& lab, const Yardstick& yardstick,
                                    const LimitedRunPlan& wanted, KeptContainer* kept) {
  if (kept != nullptr) kept->Close();
  const auto began = lab.clock().Now();
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
  if (kept != nullptr && done && done->verdict.passed && !run.lifted()) {
    *kept = KeptContainer(std::move(container));
  } else {
    container->Close();
  }
  if (!gone) return tl::unexpected<RunEnd>(gone.error());
  done->took = lab.clock().Now() - began;
  return *std::move(done);
}

}  // namespace mlprof::server::phases
