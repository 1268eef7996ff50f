#include "server/profiling/phases/verify.h"

#include <algorithm>
#include <cstdio>

#include "server/analysis/resource_use.h"
#include "server/analysis/verdict.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/shares.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {
namespace {

constexpr int kRounds = 6;
constexpr std::chrono::seconds kVerificationTime{10};
constexpr std::chrono::seconds kWarmUpTime{3};
// Less than this cannot hold a start and a replay.
constexpr std::chrono::seconds kLeastTime{5};

struct VerificationRun {
  Trial trial;
  Verdict verdict;
  std::vector<std::uint32_t> latencies;
};

std::string LimitsText(const Limits& limits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f cores and %.0f MiB", limits.cpu.value(),
                limits.memory.mib());
  return text;
}

std::size_t RequestsToSee(const Objective& objective) {
  std::size_t most = RequestsForConfidence(0.95);
  for (const auto& [key, limit] : objective.latency_ms) {
    most = std::max(most, RequestsForConfidence(QuantileOfKey(key).value_or(0.95)));
  }
  return most;
}

// The heaviest rows come first, so that they come at all.
ReplayPlan WarmUpPlan(RunContext& context) {
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  const auto& heavy = context.findings.heavy_rows;
  plan.order.insert(plan.order.begin(), heavy.begin(), heavy.end());
  plan.concurrency = context.objective().ConcurrencyOrOne();
  plan.max_time = kWarmUpTime;
  plan.max_requests = heavy.size() + 2 * context.rows.size();
  plan.min_requests = heavy.size();
  plan.hard_max_time = context.budget().Left() / 3;
  return plan;
}

ReplayPlan VerificationPlan(RunContext& context) {
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  plan.concurrency = context.objective().ConcurrencyOrOne();
  const auto third = context.budget().Left() / 3;
  plan.max_time = std::min<std::chrono::nanoseconds>(kVerificationTime, third);
  plan.min_requests = RequestsToSee(context.objective());
  plan.hard_max_time = third;
  return plan;
}

void NoteDeath(RunningModel& model, VerificationEvidence& evidence) {
  const DeathEvidence death = model.Death();
  evidence.oom_kills = death.oom_kills;
  evidence.death = DiagnoseDeath(death).message;
  evidence.start_timed_out = death.not_ready && !death.exit_code && !death.signal;
}

void NoteReplay(const ReplayResult& replay, VerificationEvidence& evidence) {
  evidence.requests += std::ssize(replay.requests);
  evidence.failures += replay.failures;
  evidence.died = evidence.died || replay.target_lost;
}

// Starts, warms up and replays; fills the trial as far as it came.
PhaseResult<VerificationRun> RunOnce(RunContext& context, const Limits& limits) {
  auto model = RunningModel::Launch(context, limits, "");
  if (!model) return tl::unexpected<RunEnd>(model.error());
  const Timestamp began = Now();
  VerificationEvidence evidence;
  evidence.reference_p95_ms = context.findings.reference_p95_ms;
  ReplayResult replay;
  const auto ready = (*model)->Start();
  if (context.stop.stop_requested()) return Canceled();
  if (!ready && (*model)->RanOutOfBudget()) {
    return TimedOut("the budget was used up before the model was ready");
  }
  evidence.became_ready = ready.has_value();
  if (ready) {
    NoteReplay((*model)->Replay(WarmUpPlan(context), context.budget()), evidence);
    if (!evidence.died) {
      replay = (*model)->Replay(VerificationPlan(context), context.budget());
      NoteReplay(replay, evidence);
    }
    if (context.stop.stop_requested()) return Canceled();
    evidence.throttled_share = Summarize((*model)->SamplesOf(replay)).throttled_share;
  }
  NoteDeath(**model, evidence);

  VerificationRun run;
  run.latencies = replay.SuccessLatencies();
  run.verdict = Judge(evidence, LatencyDistribution(run.latencies), context.objective());
  run.trial = MakeTrial(context, **model, TrialPurpose::kVerification,
                        context.objective().ConcurrencyOrOne(), began, replay);
  run.trial.passed = run.verdict.passed;
  run.trial.verdict = run.verdict.sentence;
  if (ready) {
    run.trial.measurements.start_seconds = std::chrono::duration<double>(ready->took).count();
    run.trial.measurements.start_cpu_seconds =
        std::chrono::duration<double>(ready->cpu_time).count();
    run.trial.measurements.start_peak_memory = ready->peak_unreclaimable;
  }
  return run;
}

void WarnUnverified(RunContext& context, const std::string& why) {
  context.recorder.Warn({"unverified", "the answer could not be verified: " + why,
                         "profile again with a longer --budget-seconds, a higher ceiling or an "
                         "objective the model can hold"});
}

// Few requests or a noisy host lower the confidence, never the bar.
Confidence ConfidenceOf(const RunContext& context, const VerificationRun& run) {
  if (context.recorder.Warned("noisyHost") || context.recorder.Warned("rowsFailed")) {
    return Confidence::kLow;
  }
  const bool enough =
      run.latencies.size() >= RequestsToSee(context.recorder.profile().request.objective);
  return enough ? Confidence::kMedium : Confidence::kLow;
}

void Accept(RunContext& context, const VerificationRun& run, Recommendation answer) {
  answer.verified = true;
  answer.confidence = ConfidenceOf(context, run);
  answer.max_concurrency = context.objective().ConcurrencyOrOne();
  answer.max_requests_per_second = run.trial.measurements.queries_per_second;
  context.profile().measurements = run.trial.measurements;
  context.recorder.Answer(std::move(answer));
}

}  // namespace

PhaseResult<void> Verify(RunContext& context) {
  context.recorder.EnterPhase(kVerify, "verifying the answer in a fresh container");
  Limits limits = FirstAnswer(context.findings.need, context.ceiling);
  limits.cpu = context.findings.chosen_cpu;
  std::vector<FailedTry> failed;
  std::string why = "the budget was used up";
  for (int round = 0; round < kRounds && context.budget().Left() > kLeastTime; ++round) {
    context.recorder.Progressed(static_cast<double>(round) / kRounds,
                                "verifying " + LimitsText(limits));
    auto run = RunOnce(context, limits);
    if (!run) return tl::unexpected<RunEnd>(run.error());
    context.recorder.Record(run->trial, run->latencies);
    Recommendation answer = Recommend(limits, context.findings.need, context.ceiling, failed);
    if (run->verdict.passed) {
      Accept(context, *run, std::move(answer));
      context.recorder.FinishPhase("verified");
      return {};
    }
    context.recorder.Answer(std::move(answer));
    why = run->verdict.sentence;
    if (!run->verdict.shortage) break;
    failed.push_back({limits, *run->verdict.shortage});
    const auto raised = Raise(limits, *run->verdict.shortage, context.ceiling);
    if (!raised) break;
    limits = *raised;
    // Should this be the last word, then not limits that are known to fail.
    context.recorder.Answer(Recommend(limits, context.findings.need, context.ceiling, failed));
  }
  WarnUnverified(context, why);
  context.recorder.FinishPhase("not verified");
  return {};
}

}  // namespace mlprof::phases
