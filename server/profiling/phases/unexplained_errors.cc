#include "server/profiling/phases/unexplained_errors.h"

#include "server/analysis/sentence.h"

namespace mlprof::server::phases {
namespace {

// Slow or not.
bool Serves(const Verdict& verdict) {
  return verdict.passed || (verdict.slow && !verdict.unexplained);
}

}  // namespace

PhaseResult<void> ExplainErrors(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                LimitedRun& failed) {
  Verdict& verdict = failed.verdict;
  if (!verdict.unexplained || verdict.shortage == ResourceKind::kMemory) return {};
  const Bytes all = lab.ceiling().memory();
  if (!so_far.errors_by_memory) {
    if (failed.trial.limits.memory() >= all || lab.budget().Left() < kLeastTime) return {};
    lab.Progressed(0.3, "seeing whether rows are served with more memory");
    MLPROF_LET(ample, RunWithMemory(lab, yardstick, failed, all));
    so_far.errors_by_memory = Serves(ample.verdict);
  }
  if (!*so_far.errors_by_memory) return {};
  verdict.shortage = ResourceKind::kMemory;
  verdict.slow = false;
  verdict.sentence += Sentence("; with %.0f MiB and as much CPU they were served", all.mib());
  return {};
}

bool LackedMemory(const Verdict& verdict) {
  return verdict.shortage == ResourceKind::kMemory || verdict.unexplained;
}

}  // namespace mlprof::server::phases
