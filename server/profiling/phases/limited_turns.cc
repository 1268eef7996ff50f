#include "server/profiling/phases/limited_turns.h"

#include <span>
#include <utility>
#include <vector>

#include "server/analysis/heap.h"
#include "server/analysis/latency.h"

namespace mlprof::server::phases {
namespace {

// A JVM on a fifth of a core was as quick as it gets after some 200 requests, which four loads
// hold. Equal loads differ by less than a tenth. Chosen, not measured.
constexpr int kLoadsOfCompiler = 4;
constexpr double kStillCompiles = 0.9;

}  // namespace

LimitedTurns::LimitedTurns(Lab& lab, const LimitedRunPlan& wanted, const LimitedRunSeen& run,
                           LimitedReplay& replay)
    : lab_(lab),
      wanted_(wanted),
      run_(run),
      replay_(replay),
      looks_(run.yardstick.reference),
      beside_(run.yardstick.reference) {}

// A runtime that compiles as it runs takes more for a request at first, as one does whose heap is
// full. Of the two that of the compiler falls.
void LimitedTurns::OutlastCompiler() {
  if (!MayReplayAgain()) return;
  auto cost = CollectingCost();
  for (int load = 0; cost && load < kLoadsOfCompiler && HoldsAnotherTurn(); ++load) {
    replay_.MeasureLoad(beside_);
    const auto now = CollectingCost();
    if (now && *now > kStillCompiles * *cost) return;
    cost = now;
  }
}

std::optional<double> LimitedTurns::CollectingCost() const {
  return JudgeBeside(beside_).verdict.collecting_cost;
}

void LimitedTurns::Take() {
  OutlastCompiler();
  // A few rows that a process meets cold are a tail; and a beginning that was not steady may have
  // been cold.
  if (facts().began_warming && HasTimeForAnother() && IsSlowBesideTheReference(false) &&
      (refused_for_tail_ || facts().warm_up.as_fast_as_it_gets)) {
    replay_.MeasureLoad(beside_);
  }
  if (TellsOfHost() && IsOnFasterHost(CostOfLoad()) && !HoldsOnAnyFasterHost()) {
    // What holds beside the slower host of before may not hold beside this one.
    faster_host_ = true;
    TakeTurn(false);
    MeasureFreshPartOfWhatHolds();
    if (facts().fresh && faster_host_) TakeTurn(true);
  }
  for (const bool fresh : {false, true}) {
    if (fresh) MeasureFreshPartOfWhatHolds();
    if (cheaper_by_limit_ && !fresh) continue;  // its turn was taken
    if (faster_host_ || !IsSlowBesideTheReference(fresh) || IsClear(fresh)) continue;
    if (fresh || !HoldsOnSlowerHost()) TakeTurn(fresh);
  }
  if (MayBeSlowByItsPages()) {
    if (replay_.LacksFreshPart()) replay_.MeasureFresh(beside_);
    TakeTurnWithAllMemory();
  }
}

// It was left out where the load was refused beside the reference of before.
void LimitedTurns::MeasureFreshPartOfWhatHolds() {
  if (replay_.LacksFreshPart() && JudgeBeside(beside_).verdict.passed) {
    replay_.MeasureFresh(beside_);
  }
}

// A few pages read back for a request cost next to nothing on one disk, and its latency on
// another.
bool LimitedTurns::MayBeSlowByItsPages() {
  if (!MayReplayAgain() || !run_.yardstick.workload.objective.latency_ms.empty()) return false;
  const JudgedRun judged = JudgeBeside(beside_);
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
void LimitedTurns::TakeTurnWithAllMemory() {
  lifted_at_ = lab_.clock().Now();
  const auto now = TakeReference({.all_memory = true});
  if (!now) return;
  beside_ = OnlyWith(beside_, *now);
  const auto& before = run_.yardstick.reference.p95_ms;
  if (before && beside_.p95_ms && *beside_.p95_ms > *before) {
    lab_.host().JudgeDrift(*before, *beside_.p95_ms);
  }
  looks_ = WithLook(looks_, *now);
}

// With other settings (thread pools) it is another model, to which the reference does not apply;
// and rows that were all seen by now tell nothing of rows that were not.
bool LimitedTurns::MayReplayAgain() const {
  return run_.yardstick.setup.environment.empty() && !run_.yardstick.workload.each_row_once;
}

bool LimitedTurns::IsSlowBesideTheReference(bool fresh) {
  // One that reads its pages again and again is slow at any CPU limit.
  if (!MayReplayAgain()) return false;
  const JudgedRun judged = JudgeBeside(beside_);
  refused_for_tail_ = judged.verdict.tail.has_value();
  return judged.verdict.beside_reference && judged.verdict.fresh == fresh &&
         judged.evidence.read_back.pages <= judged.evidence.read_back.requests / 10;
}

// With other settings it is another model; what a rate costs that is not kept up with tells
// nothing of the host; and an objective for latency is not judged beside a reference.
bool LimitedTurns::TellsOfHost() const {
  return run_.yardstick.setup.environment.empty() && !replay_.plan().open_loop &&
         run_.yardstick.workload.objective.latency_ms.empty() && facts().serves();
}

// It holds beside the reference even as that would be if all of its latency had shrunk with the
// work: no look of now could say otherwise.
bool LimitedTurns::HoldsOnAnyFasterHost() {
  // What kept the references waiting may be gone: then latency shrank by more than the work. And
  // of fresh connections the cost is another.
  if (lab_.host().busy() || replay_.HasFreshPart()) return false;
  const double cost = *CostOfLoad();
  // Few hosts change so much within a profile: it may be the limit, and a look tells.
  if (IsAnotherHost(cost)) return false;
  Reference scaled = OnHostOfCost(beside_, cost);
  if (!JudgeBeside(scaled).verdict.passed) return false;
  lab_.host().JudgeDrift(*beside_.p95_ms, *scaled.p95_ms);
  beside_ = std::move(scaled);
  return true;
}

bool LimitedTurns::HoldsOnSlowerHost() {
  // Of fresh connections the cost is another.
  if (replay_.HasFreshPart() || !TellsOfHost()) return false;
  auto slower = OnSlowerHost(
      {run_.yardstick.workload, run_.container, replay_.plan(), facts().load}, beside_,
      [this](const Reference& reference) { return JudgeBeside(reference).verdict.passed; });
  if (!slower) return false;
  lab_.host().JudgeDrift(*beside_.p95_ms, *slower->p95_ms);
  beside_ = *std::move(slower);
  return true;
}

JudgedRun LimitedTurns::JudgeBeside(const Reference& reference) const {
  const std::vector<Sample> samples = run_.container.Samples();
  return JudgeLimitedRun(run_, reference, lab_.subject().config.start_timeout, samples,
                         Summarize(samples));
}

std::optional<double> LimitedTurns::CostOfLoad() const {
  return CostBeside(beside_, run_.yardstick.workload, run_.container, facts().load);
}

bool LimitedTurns::IsClear(bool fresh) const {
  if (!run_.yardstick.setup.environment.empty()) return false;
  const Workload& workload = run_.yardstick.workload;
  const BorneLoad load{workload, run_.container, replay_.plan(), facts().load};
  if (!wanted_.once) return !fresh && IsStoppedTooLong(lab_, load, beside_);
  if (!fresh) return IsClearlySlow(lab_, load, beside_);
  const ReplayPlan plan = WithFreshConnections(replay_.plan());
  return IsClearlySlow(lab_, {workload, run_.container, plan, *facts().fresh}, FreshOf(beside_));
}

// Limit, reference, limit: the host may have become slower since the references were taken, or
// have been disturbed while this limit was measured.
void LimitedTurns::TakeTurn(bool fresh) {
  const auto now = TakeReference({.fresh = fresh});
  without_look_ = without_look_ || (faster_host_ && !now);
  if (!now) return;
  if (!fresh && IsOnTheSameHost(*now)) SeeThatTheLimitMakesItCheaper();
  fresh ? JudgeFreshInTurns(*now) : JudgeInTurns(*now);
}

void LimitedTurns::JudgeFreshInTurns(const Look& now) {
  beside_ = OnlyWithFresh(std::move(beside_), now);
  looks_ =
      faster_host_ ? OnlyWithFresh(std::move(looks_), now) : WithFreshLook(std::move(looks_), now);
  if (!IsSlowBesideTheReference(true) || !HoldsAnotherTurn()) return;
  replay_.MeasureFresh(beside_);
  const auto cost =
      CostBeside(FreshOf(beside_), run_.yardstick.workload, run_.container, *facts().fresh);
  without_look_ = without_look_ || HoldsOnFasterHost(cost);
}

void LimitedTurns::JudgeInTurns(const Look& now) {
  // What a slower host excuses is told, whether or not the limit holds beside it.
  beside_ = OnlyWith(beside_, now);
  const double before = *run_.yardstick.reference.p95_ms;
  if (faster_host_ || *beside_.p95_ms > before) {
    lab_.host().JudgeDrift(before, *beside_.p95_ms);
  }
  looks_ = faster_host_ ? OnlyWith(looks_, now) : WithLook(std::move(looks_), now);
  if (!IsSlowBesideTheReference(false) || !HoldsAnotherTurn()) return;
  replay_.MeasureLoad(beside_);
  // What holds now would hold beside the slower host of the look that was just taken, too.
  without_look_ = without_look_ || HoldsOnFasterHost(CostOfLoad());
}

bool LimitedTurns::HoldsOnFasterHost(const std::optional<double>& cost) const {
  return !cheaper_by_limit_ && TellsOfHost() && IsOnFasterHost(cost);
}

// In this container; nullopt where it saw too little, or was disturbed.
std::optional<Look> LimitedTurns::TakeReference(TurnPlan turn) {
  const std::size_t for_tail = RequestsForConfidence(0.99);
  turn.tail_counts =
      run_.yardstick.workload.objective.latency_ms.empty() && wanted_.load.min_requests >= for_tail;
  // Of a faster host, or with all memory, there is no other look whose p99 the run could fail
  // beside.
  turn.tail_decides = refused_for_tail_ || ((faster_host_ || turn.all_memory) && turn.tail_counts);
  turn.longest = 2 * replay_.LongestBurst();
  auto look = LookWithoutLimit(lab_, run_.yardstick, run_.container, turn);
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
void LimitedTurns::SeeThatTheLimitMakesItCheaper() {
  faster_host_ = false;
  cheaper_by_limit_ = true;
}

bool LimitedTurns::IsOnTheSameHost(const Look& now) const {
  const auto cost = CostBeside(beside_, now);
  return faster_host_ && cost && !IsOnFasterHost(cost);
}

bool LimitedTurns::IsAsSlowAsBefore(const Look& now) const {
  const auto pair = Compare(now, beside_.looks);
  return pair.p95_ms && *pair.p95_ms <= kReferenceTolerance * *pair.reference_p95_ms;
}

// With as much left for whoever comes after.
bool LimitedTurns::HasTimeForAnother() {
  return !facts().died && lab_.budget().Left() > 2 * *replay_.plan().hard_max_time;
}

bool LimitedTurns::HoldsAnotherTurn() { return !wanted_.once && HasTimeForAnother(); }

}  // namespace mlprof::server::phases
