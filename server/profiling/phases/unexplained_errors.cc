#include "server/profiling/phases/unexplained_errors.h"

#include <utility>

#include "server/analysis/sentence.h"
#include "server/profiling/phases/run_times.h"

namespace mlprof::server::phases {
namespace {

// More CPU mends what a server turns away for want of it, and may leave what its heap refuses.
constexpr int kMostAsked = 2;

bool IsUnexplained(const Verdict& verdict) {
  return verdict.unexplained && verdict.shortage != ResourceKind::kMemory;
}

bool AreOfMemory(const std::optional<AskedOfErrors>& asked) {
  return asked && asked->by_memory == true;
}

bool ServesRows(const LimitedRun& run, const Objective& objective) {
  const Measurements& measured = run.trial.measurements;
  const auto failed = static_cast<double>(measured.total_queries - measured.success_queries);
  return measured.success_queries > 0 && !run.killed &&
         failed <= objective.max_error_rate * static_cast<double>(measured.total_queries);
}

bool MayAsk(Lab& lab, const Yardstick& yardstick, const std::optional<AskedOfErrors>& asked,
            const ProofAttempt& attempt) {
  const Limits& limits = attempt.failure->trial.limits;
  // What failed once where others held is chance.
  if (!attempt.passes.empty()) return false;
  // A framework whose pool of device memory is full, by a setting of ours, answers with errors,
  // too.
  if (limits.device_memory() && !yardstick.setup.environment.empty()) return false;
  const bool again = asked && (asked->times == kMostAsked || limits.cpu() <= asked->cpu);
  return !again && LeavesRoomToProve(lab.budget(), yardstick);
}

// Whether the rows of `failed` are served with all memory; nullopt where they come too late.
PhaseResult<std::optional<bool>> AreServedWithAllMemory(Lab& lab, Yardstick& yardstick,
                                                        const LimitedRun& failed) {
  lab.Progressed(0.3, "seeing whether rows that fail are served with more memory");
  MLPROF_LET(ample, RunWithMemory(lab, yardstick, failed, lab.ceiling().memory()));
  if (!ServesRows(ample, yardstick.workload.objective)) return false;
  return ample.verdict.misses_objective ? std::nullopt : std::optional(true);
}

// Sets what is known of `attempt`, or makes it the one that holds at its limits.
PhaseResult<void> Ask(Lab& lab, Yardstick& yardstick, std::optional<AskedOfErrors>& asked,
                      ProofAttempt& attempt) {
  const Limits limits = attempt.failure->trial.limits;
  const int times = asked ? asked->times + 1 : 1;
  MLPROF_LET(served, AreServedWithAllMemory(lab, yardstick, *attempt.failure));
  asked = AskedOfErrors{limits.cpu(), served, times};
  if (served != true) return {};
  asked->by_memory.reset();  // it may have been chance
  if (!LeavesRoomToProve(lab.budget(), yardstick)) return {};
  MLPROF_LET(again, TryToProve(lab, yardstick, limits, 1));
  if (!again.failure) {
    asked->by_memory = false;
    attempt = std::move(again);
    attempt.tried_again = true;
    return {};
  }
  const Verdict& verdict = again.failure->verdict;
  asked->by_memory = verdict.unexplained || verdict.shortage == ResourceKind::kMemory;
  return {};
}

}  // namespace

PhaseResult<void> ExplainErrors(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                ProofAttempt& attempt) {
  auto& asked = so_far.errors_asked;
  const bool has_all = attempt.failure->trial.limits.memory() >= lab.ceiling().memory();
  if (!IsUnexplained(attempt.failure->verdict) || has_all) return {};
  if (!AreOfMemory(asked) && MayAsk(lab, yardstick, asked, attempt)) {
    const auto answered = Ask(lab, yardstick, asked, attempt);
    const bool late = !answered && answered.error().state == ProfileState::kTimedOut;
    if (!answered && (!late || lab.stopped())) return answered;
  }
  if (!attempt.failure || !AreOfMemory(asked)) return {};
  Verdict& verdict = attempt.failure->verdict;
  // Where others held with as much memory, the quota comes first.
  if (!attempt.passes.empty() && verdict.shortage) return {};
  verdict.shortage = ResourceKind::kMemory;
  verdict.slow = false;
  verdict.sentence +=
      Sentence("; with %.1f cores and all memory they are served", asked->cpu.value());
  return {};
}

bool LackedMemory(const LimitedRun& run, const Verification& so_far) {
  const Verdict& verdict = run.verdict;
  if (verdict.shortage == ResourceKind::kMemory) return true;
  if (!verdict.unexplained) return false;
  const auto& asked = so_far.errors_asked;
  return asked && asked->by_memory ? *asked->by_memory : !verdict.shortage;
}

}  // namespace mlprof::server::phases
