#include "server/profiling/run/no_answer.h"

#include "server/analysis/sentence.h"
#include "server/profiling/phases/preflight.h"

namespace mlprof::server {
namespace {

NearestRun RunOf(const Trial& trial) {
  NearestRun run;
  run.limits = trial.limits;
  if (!trial.requests_per_second) run.concurrency = trial.concurrency;
  run.requests_per_second = trial.requests_per_second;
  run.latency_p95_ms = trial.measurements.latency_p95_ms;
  run.queries_per_second = trial.measurements.queries_per_second;
  run.short_of = trial.verdict;
  return run;
}

}  // namespace

std::optional<NoAnswer> NoAnswerOf(const RunFacts& facts) {
  if (!facts.verification || facts.verification->proof) return std::nullopt;
  const auto& not_held = facts.verification->not_held;
  if (!not_held) return std::nullopt;
  // Where hardly more could be sent than was served, it may be the replay that fell behind.
  const double served = not_held->measurements.queries_per_second.value_or(0);
  const bool has_rate = facts.objective.requests_per_second.has_value();
  if (has_rate && phases::IsReplayBound(facts.replay, served)) return std::nullopt;
  return NoAnswer{kObjectiveNotHeld,
                  "the model runs, and no limit up to the ceiling of " +
                      LimitsText(facts.host.ceiling) + " holds the objective: with " +
                      LimitsText(not_held->limits) + " " + not_held->verdict,
                  RunOf(*not_held)};
}

}  // namespace mlprof::server
