#include "server/profiling/phases/unexplained_errors.h"

#include "server/profiling/phases/run_times.h"

namespace mlprof::server::phases {
namespace {

// More CPU mends what a server turns away for want of it, and may leave what its heap refuses.
constexpr int kMostAsked = 2;

bool Serves(const LimitedRun& run, const Objective& objective) {
  const Measurements& measured = run.trial.measurements;
  const auto failed = static_cast<double>(measured.total_queries - measured.success_queries);
  return measured.success_queries > 0 && !run.killed && !run.verdict.misses_objective &&
         failed <= objective.max_error_rate * static_cast<double>(measured.total_queries);
}

bool MayLackMemory(Lab& lab, const Yardstick& yardstick, const ProofAttempt& attempt) {
  const LimitedRun& failed = *attempt.failure;
  const Limits& limits = failed.trial.limits;
  if (!failed.verdict.unexplained || failed.verdict.shortage == ResourceKind::kMemory) return false;
  // What failed once where others held is chance, or the host's.
  if (!attempt.passes.empty()) return false;
  // A framework whose pool of device memory is full answers with errors, too.
  if (limits.device_memory() && !yardstick.setup.environment.empty()) return false;
  return limits.memory() < lab.ceiling().memory();
}

bool IsKnown(const std::optional<AskedOfErrors>& asked, Cores cpu) {
  return asked && (asked->by_memory || asked->times == kMostAsked || cpu <= asked->cpu);
}

PhaseResult<bool> FailForWantOfMemory(Lab& lab, Yardstick& yardstick, const LimitedRun& failed) {
  const Objective& objective = yardstick.workload.objective;
  lab.Progressed(0.3, "seeing whether rows that fail are served with more memory");
  MLPROF_LET(ample, RunWithMemory(lab, yardstick, failed, lab.ceiling().memory()));
  if (!Serves(ample, objective)) return false;
  MLPROF_LET(again, RunWithMemory(lab, yardstick, failed, failed.trial.limits.memory()));
  return again.killed || again.verdict.unexplained;
}

}  // namespace

PhaseResult<void> BlameMemoryForErrors(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                       ProofAttempt& attempt) {
  if (!MayLackMemory(lab, yardstick, attempt)) return {};
  auto& asked = so_far.errors_asked;
  const Cores cpu = attempt.failure->trial.limits.cpu();
  if (!IsKnown(asked, cpu)) {
    if (!LeavesRoomToProve(lab.budget(), yardstick)) return {};
    const auto by_memory = FailForWantOfMemory(lab, yardstick, *attempt.failure);
    const bool out_of_time =
        !by_memory && by_memory.error().state == ProfileState::kTimedOut && !lab.stopped();
    if (out_of_time) return {};
    if (!by_memory) return tl::unexpected<RunEnd>(by_memory.error());
    asked = AskedOfErrors{cpu, *by_memory, asked ? asked->times + 1 : 1};
  }
  if (!asked->by_memory) return {};
  Verdict& verdict = attempt.failure->verdict;
  verdict.shortage = ResourceKind::kMemory;
  verdict.slow = false;
  verdict.sentence += "; with all memory and as much CPU they are served";
  return {};
}

bool LackedMemory(const LimitedRun& run, const Verification& so_far) {
  if (run.verdict.shortage == ResourceKind::kMemory) return true;
  return run.verdict.unexplained && so_far.errors_asked && so_far.errors_asked->by_memory;
}

}  // namespace mlprof::server::phases
