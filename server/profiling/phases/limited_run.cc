#include "server/profiling/phases/limited_run.h"

#include <span>
#include <utility>

#include "server/analysis/diagnosis.h"
#include "server/analysis/files_of_others.h"
#include "server/profiling/phases/limited_replay.h"
#include "server/profiling/phases/limited_start.h"
#include "server/profiling/phases/limited_turns.h"
#include "server/profiling/phases/limited_verdict.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

// One run, in the order it happens.
class Run {
 public:
  Run(Lab& lab, const Yardstick& yardstick, const LimitedRunPlan& wanted, Container& container)
      : lab_(lab),
        yardstick_(yardstick),
        wanted_(wanted),
        container_(container),
        replay_(lab, yardstick, wanted, container) {}

  PhaseResult<void> Go() {
    const auto ready = container_.Start(LongestStart(yardstick_, wanted_.limits.cpu()));
    seen_.ready_at = lab_.clock().Now();
    if (ready) {
      seen_.ready = *ready;
      if (auto replayed = replay_.ReplayAll(); !replayed) return replayed;
      turns_.Take();
    }
    if (lab_.stopped()) return Canceled();
    const bool ran_out = ready ? facts().stalled && lab_.budget().Passed()  //
                               : container_.RanOutOfBudget();
    if (ran_out) return TimedOut("the budget was used up while the answer was tried");
    return {};
  }

  /// The container is not at its limits any more.
  bool lifted() const { return turns_.lifted_at().has_value(); }

  LimitedRun Conclude() {
    const std::vector<Sample> all = container_.Samples();
    const auto samples =
        Between(all, std::chrono::nanoseconds(0), turns_.lifted_at().value_or(kForEver));
    const ReplayPlan& plan = replay_.plan();
    LimitedRun run;
    run.use = Summarize(samples);
    run.usual_memory = MedianUnreclaimable(Between(samples, seen_.ready_at, kForEver));
    run.noise = watch_.End(Summarize(all));
    run.latencies = facts().load.SuccessLatencies();
    if (facts().fresh) run.fresh_latencies = facts().fresh->SuccessLatencies();
    run.look = LookAt(plan, facts().load, samples);
    run.cost = turns_.CostOfLoad();
    run.without_look = turns_.without_look();
    run.futile = facts().futile;
    run.trial =
        MakeTrial(container_, yardstick_.workload, wanted_.purpose, plan, began_, facts().load);
    run.trial.limits = run.trial.measurements.measured_at = wanted_.limits;
    if (seen_.ready) {
      AddStart(*seen_.ready, run.trial.measurements);
      run.address_space = seen_.ready->address_space;
    }
    run.saw_all_rows = facts().warm_up.whole_pass;
    const JudgedRun judged = JudgeLimitedRun(seen_, turns_.beside(),
                                             lab_.subject().config.start_timeout, samples, run.use);
    run.verdict = judged.verdict;
    run.tail = judged.evidence.tail;
    if (facts().fresh) run.fresh_tail = FreshTail(samples);
    run.read_back = judged.evidence.read_back;
    run.cost_of_ceiling = judged.evidence.cost_of_ceiling;
    run.collecting_cost = judged.evidence.collecting_cost;
    run.killed = judged.evidence.oom_kills > 0;
    run.failed_in_burst = facts().failed_in_burst;
    if (facts().workers) run.workers = facts().workers->coverage;
    run.trial.passed = run.verdict.passed;
    run.trial.verdict = run.verdict.sentence;
    if (lab_.HasFilesOfItsOwn()) {
      run.files_of_others =
          FilesOfOthers(Between(samples, seen_.ready_at, kForEver), wanted_.limits.memory());
    }
    run.lacks = Lacks(run.files_of_others);
    run.reference = turns_.looks();
    return run;
  }

 private:
  const LimitedReplayFacts& facts() const { return replay_.facts(); }

  std::optional<Tail> FreshTail(std::span<const Sample> samples) const {
    const ReplayPlan plan = WithFreshConnections(replay_.plan());
    const Reference beside = FreshOf(turns_.beside());
    if (beside.looks.empty()) return std::nullopt;
    return Compare(LookAt(plan, *facts().fresh, samples), beside.looks).tail;
  }

  std::optional<std::string> Lacks(Bytes files_of_others) const {
    if (files_of_others > Bytes()) return UnpaidText(files_of_others);
    if (turns_.without_look()) {
      return "the host became faster, or the limit makes requests cheaper, and no undisturbed look "
             "without a CPU limit was to be had";
    }
    return LacksForProofOf(seen_);
  }

  Lab& lab_;
  const Yardstick& yardstick_;
  const LimitedRunPlan& wanted_;
  Container& container_;
  const Timestamp began_ = Now();
  const HostWatch::Stretch watch_ = container_.WatchHost();
  LimitedReplay replay_;
  LimitedRunSeen seen_{container_, yardstick_, replay_};
  LimitedTurns turns_{lab_, wanted_, seen_, replay_};
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
