#include "server/profiling/phases/verify.h"

#include <algorithm>
#include <cstdio>

#include "server/analysis/confidence.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/host_watch.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/plateau.h"
#include "server/profiling/phases/shares.h"
#include "server/profiling/phases/sustained_load.h"

namespace mlprof::phases {
namespace {

constexpr int kRaises = 6;
constexpr std::chrono::seconds kVerificationTime{10};
// Less than this cannot hold a start and a replay.
constexpr std::chrono::seconds kLeastTime{5};

std::string LimitsText(const Limits& limits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f cores and %.0f MiB", limits.cpu.value(),
                limits.memory.mib());
  return text;
}

void WarnUnverified(RunContext& context, const std::string& why) {
  context.recorder.Warn({"unverified", "the answer could not be verified: " + why,
                         "profile again with a longer --budget-seconds, a higher ceiling or an "
                         "objective the model can hold"});
}

// Enough requests for the objective's percentiles, given how many of them were too slow.
bool EnoughRequests(const Objective& objective, const std::vector<std::uint32_t>& latencies) {
  if (latencies.size() < RequestsToSee(objective)) return false;
  return std::all_of(
      objective.latency_ms.begin(), objective.latency_ms.end(), [&](const auto& limit) {
        const auto over = std::count_if(latencies.begin(), latencies.end(),
                                        [&](std::uint32_t us) { return us > limit.second * 1000; });
        return HoldsWithConfidence(latencies.size(), static_cast<std::size_t>(over),
                                   QuantileOfKey(limit.first).value_or(1));
      });
}

// Rows that were not replayed say as little as rows that failed.
bool RowsAreMissing(const RunContext& context) {
  const RunRecorder& recorder = context.recorder;
  return recorder.Warned("rowsFailed") || recorder.Warned("rowKills") ||
         recorder.Warned("rowsSampled");
}

ConfidenceEvidence Evidence(RunContext& context, const Proof& proof) {
  ConfidenceEvidence evidence;
  evidence.passes = static_cast<int>(proof.passes.size());
  evidence.noisy = context.observed.noisy;
  evidence.rows_failed = RowsAreMissing(context);
  evidence.enough_requests = true;
  std::vector<double> means;
  for (const LimitedRun& run : proof.passes) {
    evidence.enough_requests &= EnoughRequests(context.objective(), run.latencies);
    means.push_back(run.trial.measurements.average_latency_ms.value_or(0));
  }
  evidence.latency_spread = HalfRange(means);
  if (const auto& memory = context.profile().findings.memory) evidence.trend = memory->trend;
  const MeasuredNeed& need = context.observed.need;
  if (const Bytes floor = MemoryFloor(need); floor > Bytes()) {
    evidence.start_spread =
        static_cast<double>(need.start_spread.count()) / static_cast<double>(floor.count());
  }
  return evidence;
}

// What is known of limits that are not proven.
void Propose(RunContext& context, const Limits& limits, const std::vector<FailedTry>& failed) {
  ForecastOutOfMemory(context, limits.memory);
  context.recorder.Answer(AnswerAt(context, limits, failed));
}

// What the containers that passed were seen to sustain: the objective's load.
void NoteObjectivesLoad(RunContext& context, const Proof& proof, Recommendation& answer) {
  if (!context.objective().requests_per_second) {
    answer.max_concurrency = context.objective().ConcurrencyOrOne();
  }
  // Random arrivals may come faster for a while than they were asked to.
  answer.max_requests_per_second = context.objective().requests_per_second;
  for (const LimitedRun& run : proof.passes) {
    const auto rate = run.trial.measurements.queries_per_second;
    if (!rate) continue;
    answer.max_requests_per_second =
        std::min(answer.max_requests_per_second.value_or(*rate), *rate);
  }
}

// Judges a failure twice where the host was busy with something else: that makes slow, not fast.
bool DeservesAnotherTry(RunContext& context, const LimitedRun& run, bool tried_again) {
  return !tried_again && run.verdict.slow && NoteNoise(context, run.noise).noisy;
}

// Runs at `proof.limits` until all containers passed (nothing), or gives the first that did not.
PhaseResult<std::optional<LimitedRun>> Prove(RunContext& context, Proof& proof) {
  bool tried_again = false;
  while (static_cast<int>(proof.passes.size()) < kContainers) {
    const int number = static_cast<int>(proof.passes.size()) + 1;
    if (context.budget().Left() < kLeastTime) {
      return TimedOut("the budget was used up after " + std::to_string(number - 1) + " of " +
                      std::to_string(kContainers) + " containers");
    }
    context.recorder.Progressed(static_cast<double>(number - 1) / kContainers,
                                "verifying " + LimitsText(proof.limits) + ", container " +
                                    std::to_string(number) + " of " + std::to_string(kContainers));
    auto run = RunAtLimits(context, ProofPlan(context, proof.limits, TrialPurpose::kVerification,
                                              kContainers - number + 1));
    if (!run) return tl::unexpected<RunEnd>(run.error());
    if (DeservesAnotherTry(context, *run, tried_again)) {
      tried_again = true;
    } else if (run->verdict.passed) {
      proof.passes.push_back(*std::move(run));
    } else {
      return *std::move(run);
    }
  }
  return std::nullopt;
}

}  // namespace

LimitedRunPlan ProofPlan(RunContext& context, const Limits& limits, TrialPurpose purpose,
                         int containers) {
  // A third of what is left at most, so that a raise finds something left; and the containers still
  // to come need their starts too.
  const auto left = std::chrono::nanoseconds(context.budget().Left());
  const auto load = std::max<std::chrono::nanoseconds>(
      kLeastTime / 5, std::min(left / 3, left / containers - TimeBeforeLoad(context)));
  return {limits, purpose, std::min<std::chrono::nanoseconds>(kVerificationTime, load),
          RequestsToSee(context.objective()), load};
}

void Accept(RunContext& context, const Proof& proof, const std::vector<FailedTry>& failed,
            std::optional<bool> tight) {
  Recommendation answer = AnswerAt(context, proof.limits, failed);
  const ConfidenceLabels labels = JudgeConfidence(Evidence(context, proof));
  answer.verified = true;
  answer.tight = tight;
  answer.confidence = labels.overall();
  answer.cpu.confidence = labels.cpu;
  answer.memory.confidence = labels.memory;
  NoteObjectivesLoad(context, proof, answer);
  context.profile().measurements = proof.passes.back().trial.measurements;
  ForecastOutOfMemory(context, proof.limits.memory);
  context.recorder.Answer(answer);
  // Nothing is tried any more that could lower the limits, and nothing is taken from it.
  if (!tight) return;
  MeasureSustainedLoad(context, answer);
  context.recorder.Answer(std::move(answer));
}

PhaseResult<std::optional<Proof>> Verify(RunContext& context) {
  context.recorder.EnterPhase(kVerify, "verifying the answer in fresh containers");
  Proof proof;
  proof.limits = CurrentLimits(context);
  std::vector<FailedTry> failed;
  Propose(context, proof.limits, failed);
  std::string why = "the budget was used up";
  for (int raise = 0; raise < kRaises && context.budget().Left() > kLeastTime; ++raise) {
    proof.passes.clear();
    const auto failure = Prove(context, proof);
    if (!failure) return tl::unexpected<RunEnd>(failure.error());
    if (!*failure) {
      Accept(context, proof, failed, std::nullopt);
      context.observed.failed_tries = failed;
      context.recorder.FinishPhase("verified");
      return proof;
    }
    const Verdict& verdict = (*failure)->verdict;
    why = verdict.sentence;
    if (!verdict.shortage) break;
    failed.push_back({proof.limits, *verdict.shortage});
    const auto raised = Raise(proof.limits, *verdict.shortage, context.ceiling);
    if (!raised) break;
    // Should this be the last word, then not limits that are known to fail.
    proof.limits = *raised;
    Propose(context, proof.limits, failed);
  }
  WarnUnverified(context, why);
  context.recorder.FinishPhase("not verified");
  return std::nullopt;
}

}  // namespace mlprof::phases
