#include "server/profiling/phases/limited_verdict.h"

#include <algorithm>

#include "server/analysis/diagnosis.h"
#include "server/analysis/latency.h"
#include "server/analysis/proof_count.h"
#include "server/profiling/phases/limited_start.h"
#include "server/profiling/phases/proof_load.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

// A run that stalled has no measured load: everything since it was ready is judged.
ResourceUse UseWhileServing(const LimitedRunSeen& run, std::span<const Sample> samples) {
  const LimitedReplayFacts& replayed = run.replay.facts();
  return replayed.stalled ? Summarize(Between(samples, run.ready_at, kForEver))
                          : Summarize(run.container.SamplesOf(replayed.load));
}

// The pages that a start reads from a cold cache are no sign of too little memory, unless it never
// ended; nor are those that a row reads the first time, in the windows that begin the load.
PagesReadBack ReadBack(const LimitedRunSeen& run, std::span<const Sample> samples,
                       const ResourceUse& whole_life, const ResourceUse& serving) {
  const LimitedReplayFacts& replayed = run.replay.facts();
  const ReplayResult& load = replayed.load;
  if (!run.ready) return {whole_life.refaults, 0};
  if (replayed.stalled) return {serving.refaults, std::ssize(load.requests)};
  const auto from = std::max(replayed.warm_at, load.began);
  const auto requests = std::count_if(load.requests.begin(), load.requests.end(),
                                      [&](const auto& request) { return request.due >= from; });
  return {Summarize(Between(samples, from, load.ended)).refaults, requests};
}

double FastestMs(const ReplayResult& load) {
  const auto fastest = std::ranges::min_element(load.requests, {}, &RequestRecord::latency_us);
  return fastest == load.requests.end() ? 0 : fastest->latency_us / 1000.0;
}

void SetEnd(const LimitedRunSeen& run, const DeathEvidence& death, VerificationEvidence& evidence) {
  const LimitedReplayFacts& replayed = run.replay.facts();
  evidence.died = replayed.died;
  evidence.stalled = replayed.stalled;
  evidence.full_heap_in_burst = replayed.full_heap_in_burst;
  evidence.failed_in_burst = replayed.failed_in_burst;
  if (replayed.hopeless) evidence.hopeless_from_ms = FastestMs(replayed.load);
  evidence.became_ready = run.ready.has_value();
  evidence.oom_kills = death.oom_kills;
  evidence.death = DiagnoseDeath(death).message;
  evidence.start_timed_out = death.not_ready && !death.exit_code && !death.signal;
}

void SetCounts(const LimitedRunSeen& run, VerificationEvidence& evidence) {
  const ReplayResult& load = run.replay.facts().load;
  const Reference& reference = run.yardstick.reference;
  evidence.requests = std::ssize(load.requests);
  evidence.failures = load.failures;
  evidence.new_failures = NewFailures(reference, load);
  evidence.reference_error_share = reference.error_share;
}

// What else has to hold where the measured load did.
Verdict JudgeRest(const LimitedRunSeen& run, const Reference& beside, Verdict verdict) {
  const LimitedReplayFacts& replayed = run.replay.facts();
  if (replayed.fresh) {
    const Verdict fresh =
        JudgeFresh(run.yardstick.workload, beside, WithFreshConnections(run.replay.plan()),
                   *replayed.fresh, run.container.SamplesOf(*replayed.fresh));
    if (!fresh.passed) return fresh;
    const bool slower = fresh.tail && (!verdict.tail || verdict.tail->p99_ms < fresh.tail->p99_ms);
    if (slower) verdict.tail = fresh.tail;
  }
  const auto& workers = replayed.workers;
  return workers && !workers->coverage.complete() ? NotReached(workers->coverage) : verdict;
}

}  // namespace

JudgedRun JudgeLimitedRun(const LimitedRunSeen& run, const Reference& beside,
                          std::chrono::seconds start_timeout, std::span<const Sample> samples,
                          const ResourceUse& whole_life) {
  const Objective& objective = run.yardstick.workload.objective;
  const ReplayPlan& plan = run.replay.plan();
  const ReplayResult& load = run.replay.facts().load;
  const DeathEvidence death = run.container.Death();
  const ResourceUse serving = UseWhileServing(run, samples);
  JudgedRun judged;
  VerificationEvidence& evidence = judged.evidence;
  SetEnd(run, death, evidence);
  JudgeStart(run.ready, objective, start_timeout, evidence);
  SetCounts(run, evidence);
  evidence.throttled_share = serving.throttled_share;
  evidence.read_back = ReadBack(run, samples, whole_life, serving);
  SetHeap(run.yardstick.at_ceiling, load, {whole_life, serving, death.log_tail}, evidence);
  SetBeside(beside, plan, LookAt(plan, load, samples), evidence);
  SetRate(RateOf(plan, load, AcceptableMs(beside, objective)), evidence);
  judged.verdict =
      Judge(evidence, LatencyDistribution::ByRow(CountedVisits(plan, load)), objective);
  if (judged.verdict.passed) judged.verdict = JudgeRest(run, beside, judged.verdict);
  return judged;
}

std::optional<std::string> LacksForProofOf(const LimitedRunSeen& run) {
  const Objective& objective = run.yardstick.workload.objective;
  const ReplayPlan& plan = run.replay.plan();
  const LimitedReplayFacts& replayed = run.replay.facts();
  const auto of = [&](const ReplayResult& load) {
    return LacksForProof(objective, load.SuccessLatencies().size(), ServingSeconds(plan, load));
  };
  auto lacks = of(replayed.load);
  if (lacks || !replayed.fresh) return lacks;
  if (objective.latency_ms.empty() && run.yardstick.reference.fresh_looks.empty()) {
    return "rows with a connection each were never measured without a CPU limit";
  }
  return of(*replayed.fresh);
}

}  // namespace mlprof::server::phases
