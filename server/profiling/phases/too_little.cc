#include "server/profiling/phases/too_little.h"

#include <algorithm>

#include "server/analysis/limit_search.h"

namespace mlprof::server::phases {

FailedTry FailedFor(const LimitedRun& run, ResourceKind shortage) {
  FailedTry failed{run.trial.limits, shortage, run.verdict.tail};
  failed.disturbed = IsDisturbed(run);
  failed.collecting_cost = run.verdict.collecting_cost;
  failed.content_with_memory = shortage != ResourceKind::kMemory && !run.verdict.unexplained &&
                               run.saw_all_rows && !run.read_back.often() &&
                               run.trial.measurements.success_queries > 0;
  return failed;
}

std::vector<Amount> TooLittle(const Verification& so_far) {
  std::vector<Amount> too_little = so_far.held_barely;
  for (const FailedTry& attempt : so_far.failed) {
    if (attempt.disturbed || RulesOf(attempt.shortage).search == LimitSearch::kLive) continue;
    if (const auto failed = attempt.limits.Find(attempt.shortage)) too_little.push_back(*failed);
  }
  return too_little;
}

Bytes MostMemoryTooLittle(const Verification& so_far) {
  Bytes most;
  for (const Amount& low : TooLittle(so_far)) {
    if (low.kind() == ResourceKind::kMemory) most = std::max(most, low.bytes());
  }
  return most;
}

}  // namespace mlprof::server::phases
