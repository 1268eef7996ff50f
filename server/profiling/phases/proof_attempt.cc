#include "server/profiling/phases/proof_attempt.h"

#include <algorithm>
#include <utility>

#include "server/analysis/sentence.h"
#include "server/profiling/phases/filled_limit.h"
#include "server/profiling/phases/proof_load.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kLeastProofLoad{1};

std::optional<WorkerCoverage> LeastReached(const std::optional<WorkerCoverage>& so_far,
                                           const std::optional<WorkerCoverage>& run) {
  if (!so_far || !run) return so_far ? so_far : run;
  return so_far->count - so_far->reached < run->count - run->reached ? run : so_far;
}

// A host that is short of memory takes pages back as well, from limits that hold all that is
// mapped.
bool Thrashed(const LimitedRun& run) {
  if (run.futile) return run.verdict.slow_by_pages();
  const Bytes files = std::max(run.use.peak_cache.value_or(Bytes()), run.use.peak_mapped_file);
  const Bytes used = run.use.peak_unreclaimable.value_or(Bytes()) + files;
  const bool full = used > PercentOf(Amount(run.trial.limits.memory()), kFullestPercent).bytes();
  return full && run.verdict.slow_by_pages() && run.read_back.requests > 0 && !run.read_back.few();
}

// Judges a failure twice where the host was busy with something else: that makes slow, not fast;
// and where chance made it: a worker that got no connection, or a few pages read back. A pass that
// had no look at a faster host is no better.
bool DeservesAnotherTry(Lab& lab, const LimitedRun& run, bool tried_again) {
  const bool noisy = run.verdict.slow && lab.host().Judge(run.noise).noisy;
  const bool disturbed = noisy && !Thrashed(run);
  return !tried_again &&
         (disturbed || run.verdict.unreached || IsSlowWithFewPages(run) || run.without_look);
}

}  // namespace

bool IsSlowWithFewPages(const LimitedRun& run) {
  return run.verdict.slow_by_pages() && run.read_back.few();
}

std::optional<Limits> ProofAttempt::limits() const {
  if (failure) return failure->trial.limits;
  return passes.empty() ? std::nullopt : std::optional(passes.front().trial.limits);
}

Bytes ProofAttempt::FilesOfOthers() const {
  Bytes most = failure ? failure->files_of_others : Bytes();
  for (const LimitedRun& run : passes) most = std::max(most, run.files_of_others);
  return most;
}

std::optional<std::string> ProofAttempt::Lacks() const {
  const auto lacking = std::find_if(passes.begin(), passes.end(),
                                    [](const LimitedRun& run) { return run.lacks.has_value(); });
  return lacking == passes.end() ? std::nullopt : lacking->lacks;
}

PhaseResult<ProofAttempt> TryToProve(Lab& lab, Yardstick& yardstick, const Limits& limits,
                                     int containers, ProofAttempt attempt) {
  while (!attempt.failure && static_cast<int>(attempt.passes.size()) < containers) {
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
                                          TrialPurpose::kVerification, kContainers - number + 1),
                                number == kContainers ? &attempt.last : nullptr));
    yardstick.reference = run.reference;
    if (DeservesAnotherTry(lab, run, attempt.tried_again)) {
      attempt.tried_again = true;
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

bool IsDisturbed(const LimitedRun& run) {
  return run.verdict.slow && !Thrashed(run) && JudgeNoise(run.noise).noisy;
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
  return {limits, purpose, ProofLoad(yardstick, limits.cpu(), load)};
}

PhaseResult<LimitedRun> RunWithMemory(Lab& lab, Yardstick& yardstick, const LimitedRun& run,
                                      Bytes memory) {
  MLPROF_LET(other, RunAtLimits(lab, yardstick,
                                ProofPlan(lab.budget(), yardstick, run.trial.limits.With(memory),
                                          TrialPurpose::kMemoryProbe, kContainers)));
  yardstick.reference = other.reference;
  return other;
}

}  // namespace mlprof::server::phases
