#include "server/profiling/phases/verify.h"

#include <algorithm>

#include "server/analysis/sentence.h"

namespace mlprof::server::phases {
namespace {

// A raise takes CPU one step and memory a fifth: so many reach twice the first answer.
constexpr int kRaises = 6;
constexpr std::chrono::seconds kVerificationTime{10};
// Less than this cannot hold a start and a replay.
constexpr std::chrono::seconds kLeastTime{5};
constexpr std::chrono::seconds kLeastProofLoad{1};

// The outcome of the containers at the same limits.
struct ProofAttempt {
  std::vector<LimitedRun> passes;
  std::optional<LimitedRun> failure;  // absent: all passed
};

// Judges a failure twice where the host was busy with something else: that makes slow, not fast.
bool DeservesAnotherTry(Lab& lab, const LimitedRun& run, bool tried_again) {
  return !tried_again && run.verdict.slow && lab.host().Judge(run.noise).noisy;
}

// Runs at `limits` until all containers passed, or one did not.
PhaseResult<ProofAttempt> TryToProve(Lab& lab, Yardstick& yardstick, const Limits& limits) {
  ProofAttempt attempt;
  bool tried_again = false;
  while (static_cast<int>(attempt.passes.size()) < kContainers) {
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
    } else if (run.verdict.passed) {
      attempt.passes.push_back(std::move(run));
    } else {
      attempt.failure = std::move(run);
      break;
    }
  }
  return attempt;
}

}  // namespace

LimitedRunPlan ProofPlan(const Budget& budget, const Yardstick& yardstick, const Limits& limits,
                         TrialPurpose purpose, int containers) {
  // A third of what is left at most, so that a raise finds something left; and the containers still
  // to come need their starts too.
  const auto left = budget.Left();
  const auto load = std::max<std::chrono::nanoseconds>(
      kLeastProofLoad, std::min(left / 3, left / containers - TimeBeforeLoad(yardstick)));
  return {limits,
          purpose,
          {std::min<std::chrono::nanoseconds>(kVerificationTime, load),
           RequestsToSee(yardstick.workload.objective), load}};
}

Verification Verify(Lab& lab, Yardstick yardstick, const Limits& first,
                    const OnVerification& told) {
  Verification verification;
  verification.limits = first;
  verification.why_not = "the budget was used up";
  told(verification);
  for (int raise = 0; raise < kRaises && lab.budget().Left() > kLeastTime; ++raise) {
    auto attempt = TryToProve(lab, yardstick, verification.limits);
    verification.reference = yardstick.reference;
    if (!attempt) {
      verification.end = attempt.error();
      return verification;
    }
    if (!attempt->failure) {
      verification.proof = Proof{verification.limits, std::move(attempt->passes)};
      verification.finished = true;
      return verification;
    }
    const Verdict& verdict = attempt->failure->verdict;
    verification.why_not = verdict.sentence;
    if (!verdict.shortage) break;
    verification.failed.push_back({verification.limits, *verdict.shortage});
    const auto raised = Raise(verification.limits, *verdict.shortage, lab.ceiling());
    if (!raised) break;
    // If the budget ends now, these limits are told, which are not known to fail.
    verification.limits = *raised;
    told(verification);
  }
  verification.reference = yardstick.reference;
  verification.finished = true;
  return verification;
}

}  // namespace mlprof::server::phases
