#include "server/profiling/phases/verify.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "server/analysis/sentence.h"
#include "server/profiling/phases/narrowing.h"
#include "server/profiling/phases/too_little.h"
#include "server/profiling/phases/unexplained_errors.h"

namespace mlprof::server::phases {
namespace {

// A raise takes CPU one step and memory a fifth, or as much again: so many reach twice the first
// answer.
constexpr int kRaises = 6;
constexpr const char* kNoBudget = "the budget was used up";
// Of a request whose cost fell by what was raised, and of one that only another host makes dearer
// with more. Chosen: equal runs differ by 10%.
constexpr double kCheaper = 0.95;
constexpr double kOfAnotherHost = 1.1;

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

void SeeProof(const Proof& proof, HeapByLimit& heap) {
  heap.limit = proof.limits.memory();
  heap.used = PeakOf(proof).value_or(heap.used);
}

// A heap that is nearly full costs less with more memory. Where a raise did not show that, it is
// CPU that is short.
std::optional<ResourceKind> ShortageOf(const Verdict& verdict, std::optional<double>& cost) {
  const auto before = std::exchange(cost, verdict.collecting_cost);
  const bool no_cheaper =
      before && cost && *cost > kCheaper * *before && *cost < kOfAnotherHost * *before;
  return no_cheaper ? ResourceKind::kCpu : verdict.shortage;
}

Shortfall ShortfallOf(const LimitedRun& run, ResourceKind shortage) {
  if (IsSlowWithFewPages(run)) return Shortfall::kSmall;
  const bool of_heap = shortage == ResourceKind::kMemory && run.verdict.collecting_cost;
  return of_heap ? Shortfall::kOfHeap : Shortfall::kUnknown;
}

// More of what the failure of `attempt` lacked, which is noted as tried; nullopt where no limit
// mends it, or the ceiling leaves no room.
std::optional<Limits> RaisedFor(const ProofAttempt& attempt, const Limits& ceiling,
                                Verification& so_far, std::optional<double>& collecting_cost) {
  const LimitedRun& run = *attempt.failure;
  const auto shortage = ShortageOf(run.verdict, collecting_cost);
  if (!shortage) return std::nullopt;
  FailedTry failed = FailedFor(run, *shortage);
  failed.passes = static_cast<int>(attempt.passes.size());
  so_far.failed.push_back(failed);
  // What CPU does to a request's cost tells nothing of memory.
  if (shortage != ResourceKind::kMemory) collecting_cost.reset();
  const auto raised = Raise(so_far.limits, *shortage, ceiling, ShortfallOf(run, *shortage));
  if (raised || shortage == run.verdict.shortage) return raised;
  return Raise(so_far.limits, *run.verdict.shortage, ceiling);
}

// What happens to the container meanwhile takes nothing from what was proven.
void TakeCpuStep(Lab& lab, const Yardstick& yardstick, Container* last,
                 Verification& verification) {
  if (last == nullptr) return;
  const Measurements& held = verification.proof->passes.back().trial.measurements;
  verification.cpu_step = TryCpuStep(lab, yardstick, *last, held.cpu_seconds_per_query);
}

}  // namespace

std::optional<Bytes> PeakOf(const Proof& proof) {
  std::optional<Bytes> peak;
  for (const LimitedRun& run : proof.passes) peak = std::max(peak, run.use.peak_unreclaimable);
  return peak;
}

Verification Verify(Lab& lab, Yardstick yardstick, const Limits& first, const OnVerification& told,
                    ProofAttempt begun, KeptContainer* last) {
  Verification verification;
  verification.limits = first;
  verification.why_not = kNoBudget;
  std::optional<double> collecting_cost;
  told(verification);
  int raises = 0;
  while (raises < kRaises && lab.budget().Left() > kLeastTime) {
    auto attempt = ProveNarrowly(lab, yardstick, verification, std::exchange(begun, {}));
    verification.reference = yardstick.reference;
    if (!attempt) {
      verification.end = attempt.error();
      return verification;
    }
    verification.workers = attempt->workers;
    verification.files_of_others = attempt->FilesOfOthers();
    if (const auto lacks = attempt->Lacks(); lacks && !attempt->failure) {
      verification.why_not = *lacks;
      verification.held = true;
      break;
    }
    if (!attempt->failure) {
      verification.proof = Proof{verification.limits, std::move(attempt->passes)};
      if (verification.heap) SeeProof(*verification.proof, *verification.heap);
      verification.finished = true;
      told(verification);
      TakeCpuStep(lab, yardstick, attempt->last.get(), verification);
      if (last != nullptr) *last = std::move(attempt->last);
      return verification;
    }
    if (auto explained = ExplainErrors(lab, yardstick, verification, *attempt); !explained) {
      verification.end = explained.error();
      return verification;
    }
    verification.reference = yardstick.reference;
    if (!attempt->failure) {
      verification.why_not = kNoBudget;
      begun = *std::move(attempt);
      continue;
    }
    const Verdict& verdict = attempt->failure->verdict;
    verification.why_not = verdict.sentence;
    const auto raised = RaisedFor(*attempt, lab.ceiling(), verification, collecting_cost);
    if (!raised) {
      verification.not_held = NotHeld(lab, yardstick, verification.limits, *attempt);
      break;
    }
    // If the budget ends now, these limits are told, which are not known to fail.
    ++raises;
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
