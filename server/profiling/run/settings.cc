#include "server/profiling/run/settings.h"

#include <algorithm>

#include "server/analysis/pod_resources.h"

namespace mlprof::server {
namespace {

using phases::LimitedRun;
using phases::Proof;

// The most of any container: each was to hold the objective by itself.
UseAtAnswer UseOf(const Proof& proof) {
  UseAtAnswer use;
  for (const LimitedRun& run : proof.passes) {
    const Measurements& seen = run.trial.measurements;
    use.cores = std::max(
        use.cores, seen.cpu_seconds_per_query.value_or(0) * seen.queries_per_second.value_or(0));
    use.throttled_share = std::max(use.throttled_share, seen.throttled_share.value_or(0));
    use.p99_ms = std::max(use.p99_ms, seen.latency_p99_ms);
  }
  return use;
}

}  // namespace

std::int64_t RequestsAtAnswer(const RunFacts& facts, const Proof& proof) {
  // A kill in a container that was to show something else is one all the same.
  const bool killed = (facts.tightness && facts.tightness->killed) ||
                      (facts.sustained && facts.sustained->unsteady);
  if (killed) return 0;
  std::int64_t requests = facts.soak ? facts.soak->requests : 0;
  if (facts.tightness) requests += facts.tightness->requests;
  if (facts.sustained) requests += facts.sustained->requests;
  for (const LimitedRun& run : proof.passes) requests += run.trial.measurements.total_queries;
  return requests;
}

bool MayBoundKills(const RunFacts& facts) {
  return !Grows(facts) && !(facts.row_pass && facts.row_pass->growth);
}

void AddSettings(const RunFacts& facts, const Proof& proof, Recommendation& answer) {
  if (MayBoundKills(facts)) answer.rare_events = BoundOfUnseen(RequestsAtAnswer(facts, proof));
  if (facts.cpu) answer.curve = facts.cpu->curve.points;
  const UseAtAnswer use = UseOf(proof);
  if (use.cores <= 0) return;
  const auto startup = answer.start ? std::optional(answer.start->startup_cpu) : std::nullopt;
  answer.kubernetes = PodResourcesOf(proof.limits, use, answer.curve, startup);
}

}  // namespace mlprof::server
