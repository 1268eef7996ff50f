#include "server/profiling/phases/verify.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "server/analysis/sentence.h"
#include "server/profiling/phases/filled_limit.h"
#include "server/profiling/phases/proof_load.h"

namespace mlprof::server::phases {
namespace {

// A raise takes CPU one step and memory a fifth: so many reach twice the first answer.
constexpr int kRaises = 6;
// Of a request whose cost fell by what was raised. Chosen, not measured.
constexpr double kCheaper = 0.95;
// Less than this cannot hold a start and a replay.
constexpr std::chrono::seconds kLeastTime{5};
constexpr std::chrono::seconds kLeastProofLoad{1};

// The outcome of the containers at the same limits.
struct ProofAttempt {
  std::vector<LimitedRun> passes;
  std::optional<LimitedRun> failure;  // absent: all passed
  std::optional<WorkerCoverage> workers = {};

  /// Why the passes prove nothing, where they do not.
  std::optional<std::string> Lacks() const {
    const auto lacking = std::find_if(passes.begin(), passes.end(),
                                      [](const LimitedRun& run) { return run.lacks.has_value(); });
    return lacking == passes.end() ? std::nullopt : lacking->lacks;
  }
};

std::optional<WorkerCoverage> LeastReached(const std::optional<WorkerCoverage>& so_far,
                                           const std::optional<WorkerCoverage>& run) {
  if (!so_far || !run) return so_far ? so_far : run;
  return so_far->count - so_far->reached < run->count - run->reached ? run : so_far;
}

// Judges a failure twice where the host was busy with something else: that makes slow, not fast;
// and where a worker got no connection, which is chance.
bool DeservesAnotherTry(Lab& lab, const LimitedRun& run, bool tried_again) {
  const bool disturbed = run.verdict.slow && lab.host().Judge(run.noise).noisy;
  return !tried_again && (disturbed || run.verdict.unreached);
}

// Runs at `limits` until so many containers passed, those of `attempt` counted, or one did not.
PhaseResult<ProofAttempt> TryToProve(Lab& lab, Yardstick& yardstick, const Limits& limits,
                                     int containers = kContainers, ProofAttempt attempt = {}) {
  bool tried_again = false;
  while (static_cast<int>(attempt.passes.size()) < containers) {
    const int number = static_cast<int>(attempt.passes.size()) + 1;
    if (lab.budget().Left() < kLeastTime) {
      return TimedOut("the budget was used up after " + std::to_string(number - 1) + " of " +
                      std::to_string(kContainers) + " containers");
    }
    lab.Progressed(static_cast<double>(number - 1) / kContainers,
                   "verifying " + LimitsText(limits) + ", container " + std::to_string(number) +
                       " of " + std::to_string(kContainers));
    MLPROF_LET(run, RunAtLimits(lab, yardstick,
                                ProofPlan(lab.budget(), yardstick, limits,
                                          TrialPurpose::kVerification, kContainers - number + 1)));
    yardstick.reference = run.reference;
    if (DeservesAnotherTry(lab, run, tried_again)) {
      tried_again = true;
      continue;
    }
    attempt.workers = LeastReached(attempt.workers, run.workers);
    if (run.verdict.passed) {
      attempt.passes.push_back(std::move(run));
    } else {
      attempt.failure = std::move(run);
      break;
    }
  }
  return attempt;
}

bool IsDisturbed(const LimitedRun& run) { return run.verdict.slow && JudgeNoise(run.noise).noisy; }

// Whether a run shows that the limits do not hold an objective although the model serves there: too
// slow for it on a quiet host, rather than slower than a reference of another moment.
bool MissesTheObjective(const LimitedRun& run, const Objective& objective) {
  const Verdict& verdict = run.verdict;
  return objective.CanBeMissedUnlimited() && !verdict.passed && verdict.misses_objective &&
         !IsDisturbed(run) && (verdict.late_start || run.trial.measurements.success_queries > 0);
}

double P95Of(const LimitedRun& run) {
  return run.trial.measurements.latency_p95_ms.value_or(std::numeric_limits<double>::infinity());
}

// Where nothing is left to raise: whether a second container misses the objective as the first one
// did. One alone may be chance.
std::optional<Trial> NotHeld(Lab& lab, Yardstick& yardstick, const Limits& limits,
                             const ProofAttempt& attempt) {
  const Objective& objective = yardstick.workload.objective;
  const LimitedRun& first = *attempt.failure;
  if (!attempt.passes.empty() || !MissesTheObjective(first, objective)) return std::nullopt;
  if (lab.budget().Left() < kLeastTime) return std::nullopt;
  lab.Progressed(0.5, "seeing whether " + LimitsText(limits) + " miss the objective again");
  const auto again = RunAtLimits(
      lab, yardstick, ProofPlan(lab.budget(), yardstick, limits, TrialPurpose::kVerification, 1));
  if (!again) return std::nullopt;
  yardstick.reference = again->reference;
  if (!MissesTheObjective(*again, objective)) return std::nullopt;
  return P95Of(*again) < P95Of(first) ? again->trial : first.trial;
}

// Between the most that failed of what only a restart can try, and the limits: what was raised by a
// fifth at a time may have gone past the need.
std::optional<Amount> Gap(const Verification& so_far) {
  std::optional<Amount> middle;
  for (const FailedTry& attempt : so_far.failed) {
    if (attempt.disturbed || RulesOf(attempt.shortage).search == LimitSearch::kLive) continue;
    const auto failed = attempt.limits.Find(attempt.shortage);
    const auto held = so_far.limits.Find(attempt.shortage);
    if (!failed || !held) continue;
    const auto halfway = Halfway(*failed, *held);
    // Of several tries the one nearest to the limits counts.
    if (!halfway) return std::nullopt;
    if (!middle || *middle < *halfway) middle = halfway;
  }
  return middle;
}

// Whether a model that took less than at the ceiling did so because of its limit: one more run with
// all memory tells, as a run at limits is shorter than what was served there.
PhaseResult<std::optional<HeapByLimit>> SeeHeap(Lab& lab, Yardstick& yardstick,
                                                const LimitedRun& passed) {
  const Limits& limits = passed.trial.limits;
  const auto used = passed.use.peak_unreclaimable;
  if (!used || !TakesLess(yardstick.at_ceiling.memory, *used)) return std::nullopt;
  const Bytes ceiling = lab.ceiling().memory();
  const bool seeable = limits.memory() < ceiling && !yardstick.workload.each_row_once;
  if (!seeable || !LeavesRoomToProve(lab.budget(), yardstick)) return std::nullopt;
  lab.Progressed(0.3, "seeing whether the model takes more memory where it may");
  MLPROF_LET(ample, RunAtLimits(lab, yardstick,
                                ProofPlan(lab.budget(), yardstick, limits.With(ceiling),
                                          TrialPurpose::kMemoryProbe, kContainers)));
  yardstick.reference = ample.reference;
  const auto used_there = ample.use.peak_unreclaimable;
  if (!used_there || !TakesLess(*used_there, *used)) return std::nullopt;
  // A peak alone may be a row that came in the one run and not in the other.
  const auto& usual = passed.usual_memory;
  const auto& usual_there = ample.usual_memory;
  if (!usual || !usual_there || !TakesLess(*usual_there, *usual)) return std::nullopt;
  return HeapByLimit{limits.memory(), *used, ceiling, *used_there};
}

void SeeProof(const Proof& proof, HeapByLimit& heap) {
  heap.limit = proof.limits.memory();
  heap.used = PeakOf(proof).value_or(heap.used);
}

// The most memory that failed, of what no other work disturbed.
Bytes MostFailedMemory(const Verification& so_far) {
  Bytes most;
  for (const FailedTry& attempt : so_far.failed) {
    if (attempt.disturbed || attempt.shortage != ResourceKind::kMemory) continue;
    most = std::max(most, attempt.limits.memory());
  }
  return most;
}

// A model that takes what its limit lets it take is tried with half of it, until that is too
// little. Gives what passed last.
PhaseResult<ProofAttempt> Halve(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
                                Verification& so_far) {
  while (LeavesRoomToProve(lab.budget(), yardstick)) {
    const Bytes half = RoundUp(Scale(so_far.limits.memory(), 0.5), kMemoryQuantum);
    const Bytes least = std::max(kSmallestLimits.memory(), yardstick.workload.least_memory);
    if (half < least || half <= MostFailedMemory(so_far) || half >= so_far.limits.memory()) break;
    const Limits limits = so_far.limits.With(half);
    MLPROF_LET(attempt, TryToProve(lab, yardstick, limits, 1));
    if (attempt.failure) {
      // Nothing but memory was taken from it: collecting without rest is slow, too.
      const LimitedRun& run = *attempt.failure;
      if (!IsDisturbed(run)) {
        so_far.failed.push_back({limits, ResourceKind::kMemory, run.verdict.tail});
      }
      break;
    }
    if (!MayBecomeAnswer(yardstick, attempt.passes.back(), ResourceKind::kMemory)) break;
    so_far.limits = limits;
    passed = std::move(attempt);
  }
  return passed;
}

// From limits at which a container passed downward. Gives what passed last.
PhaseResult<ProofAttempt> Narrow(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
                                 Verification& so_far) {
  while (const auto middle = Gap(so_far)) {
    if (!LeavesRoomToProve(lab.budget(), yardstick)) break;
    const Limits limits = so_far.limits.With(*middle);
    MLPROF_LET(attempt, TryToProve(lab, yardstick, limits, 1));
    if (!attempt.failure) {
      if (!MayBecomeAnswer(yardstick, attempt.passes.back(), middle->kind())) break;
      so_far.limits = limits;
      passed = std::move(attempt);
      continue;
    }
    const LimitedRun& run = *attempt.failure;
    // Of a heap nothing but memory was taken: collecting without rest is slow, too.
    const bool of_heap =
        so_far.heap && middle->kind() == ResourceKind::kMemory && !run.verdict.unreached;
    if ((run.verdict.shortage != middle->kind() && !of_heap) || IsDisturbed(run)) break;
    so_far.failed.push_back({limits, middle->kind(), run.verdict.tail});
  }
  return passed;
}

// All containers at the limits, or at lower ones where raising them went too far, or where the
// model needs less than it takes with all memory.
PhaseResult<ProofAttempt> ProveNarrowly(Lab& lab, Yardstick& yardstick, Verification& so_far) {
  const Limits first = so_far.limits;
  MLPROF_LET(passed, TryToProve(lab, yardstick, first, 1));
  if (passed.failure) return passed;
  if (!so_far.heap_seen) {
    MLPROF_LET(heap, SeeHeap(lab, yardstick, passed.passes.front()));
    so_far.heap = heap;
    so_far.heap_seen = true;
  }
  if (so_far.heap) {
    MLPROF_LET(halved, Halve(lab, yardstick, std::move(passed), so_far));
    passed = std::move(halved);
  }
  MLPROF_LET(narrowed, Narrow(lab, yardstick, std::move(passed), so_far));
  MLPROF_LET(proven, TryToProve(lab, yardstick, so_far.limits, kContainers, std::move(narrowed)));
  // What held with more memory, and was given less because its heap follows the limit, lacks that.
  const bool lowered = so_far.heap && so_far.limits.memory() < first.memory();
  if (lowered && proven.failure && !IsDisturbed(*proven.failure) &&
      !proven.failure->verdict.unreached) {
    proven.failure->verdict.shortage = ResourceKind::kMemory;
    proven.failure->verdict.collecting_cost.reset();
  }
  return proven;
}

// A heap that is nearly full costs less with more memory. Where a raise did not show that, it is
// CPU that is short.
std::optional<ResourceKind> ShortageOf(const Verdict& verdict, std::optional<double>& cost) {
  const auto before = std::exchange(cost, verdict.collecting_cost);
  const bool no_cheaper = before && cost && *cost > kCheaper * *before;
  return no_cheaper ? ResourceKind::kCpu : verdict.shortage;
}

}  // namespace

std::optional<Bytes> PeakOf(const Proof& proof) {
  std::optional<Bytes> peak;
  for (const LimitedRun& run : proof.passes) peak = std::max(peak, run.use.peak_unreclaimable);
  return peak;
}

LimitedRunPlan ProofPlan(const Budget& budget, const Yardstick& yardstick, const Limits& limits,
                         TrialPurpose purpose, int containers) {
  // A third of what is left at most, so that a raise finds something left; and the containers still
  // to come need their starts too.
  const auto left = budget.Left();
  const Objective& objective = yardstick.workload.objective;
  const auto least = objective.latency_ms.empty() ? std::chrono::nanoseconds(kLeastReferenceLoad)
                                                  : std::chrono::nanoseconds(kLeastProofLoad);
  const auto for_loads = left - TimeBeforeLoad(budget, yardstick, containers);
  const auto load =
      std::max<std::chrono::nanoseconds>(least, std::min(left / 3, for_loads / containers));
  return {limits, purpose, ProofLoad(yardstick, load)};
}

Verification Verify(Lab& lab, Yardstick yardstick, const Limits& first,
                    const OnVerification& told) {
  Verification verification;
  verification.limits = first;
  verification.why_not = "the budget was used up";
  std::optional<double> collecting_cost;
  told(verification);
  for (int raise = 0; raise < kRaises && lab.budget().Left() > kLeastTime; ++raise) {
    auto attempt = ProveNarrowly(lab, yardstick, verification);
    verification.reference = yardstick.reference;
    if (!attempt) {
      verification.end = attempt.error();
      return verification;
    }
    verification.workers = attempt->workers;
    if (const auto lacks = attempt->Lacks(); lacks && !attempt->failure) {
      verification.why_not = *lacks;
      verification.held = true;
      break;
    }
    if (!attempt->failure) {
      verification.proof = Proof{verification.limits, std::move(attempt->passes)};
      if (verification.heap) SeeProof(*verification.proof, *verification.heap);
      verification.finished = true;
      return verification;
    }
    const Verdict& verdict = attempt->failure->verdict;
    verification.why_not = verdict.sentence;
    std::optional<Limits> raised;
    if (const auto shortage = ShortageOf(verdict, collecting_cost)) {
      FailedTry failed{verification.limits, *shortage, verdict.tail};
      failed.disturbed = IsDisturbed(*attempt->failure);
      verification.failed.push_back(failed);
      raised = Raise(verification.limits, *shortage, lab.ceiling());
      // What CPU does to a request's cost tells nothing of memory.
      if (shortage != ResourceKind::kMemory) collecting_cost.reset();
      if (!raised && shortage != verdict.shortage) {
        raised = Raise(verification.limits, *verdict.shortage, lab.ceiling());
      }
    }
    if (!raised) {
      verification.not_held = NotHeld(lab, yardstick, verification.limits, *attempt);
      break;
    }
    // If the budget ends now, these limits are told, which are not known to fail.
    verification.limits = *raised;
    verification.why_not =
        LimitsText(*raised) + " were not tried any more; before, with less: " + verdict.sentence;
    told(verification);
  }
  verification.reference = yardstick.reference;
  verification.finished = true;
  return verification;
}

}  // namespace mlprof::server::phases
