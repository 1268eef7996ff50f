#include "server/profiling/phases/sustained_load.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/analysis/latency.h"
#include "server/analysis/load_ladder.h"
#include "server/analysis/verdict.h"
#include "server/profiling/phases/limited_run.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replay_bound.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/start_search.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kLevelTime{2};
constexpr std::chrono::seconds kLongestLevel{5};
constexpr double kBudgetForMore = 0.1;
constexpr int kMostInFlight = 256;
// The 95th percentile of fewer is their largest.
constexpr std::ptrdiff_t kFewestRequests = 20;
constexpr const char* kWorkersLost = "workersLost";

// The loads, one after the other, in one container. The objective's kind of load: rows in flight or
// requests per second.
class Levels {
 public:
  Levels(RunContext& context, RunningModel& model, Deadline end)
      : context_(context), model_(model), end_(end) {}

  /// Whether the container bore the objective's own load.
  bool WarmUp() {
    Replay(ObjectivePlan(context_, kLevelTime, 0, kLevelTime));
    return !over_;
  }

  /// Requests per second that were served under `load`; nullopt where the objective broke.
  std::optional<double> Served(double load) {
    const ReplayPlan plan = PlanOf(load);
    if (!plan.open_loop) Replay(HeaviestAtOnce(plan.concurrency));
    if (over_) return std::nullopt;
    const Timestamp began = Now();
    const ReplayResult replay = Replay(plan);
    if (over_) return std::nullopt;
    Trial trial = MakeTrial(context_, model_, TrialPurpose::kLoadCurve, plan, began, replay);
    const Verdict verdict = JudgeLoad(plan, replay);
    const bool enough = std::ssize(replay.requests) >= kFewestRequests;
    trial.passed = verdict.passed && enough;
    trial.verdict = enough ? verdict.sentence : "too few requests to judge by";
    context_.recorder.Record(trial, replay.SuccessLatencies());
    if (!trial.passed) return std::nullopt;
    return trial.measurements.queries_per_second;
  }

  /// The container is of no more use, or no time is left for another load.
  bool over() const { return over_ || end_.Left() < kLevelTime + kLongestLevel; }

 private:
  ReplayPlan PlanOf(double load) {
    ReplayPlan plan =
        ObjectivePlan(context_, kLevelTime, RequestsToSee(context_.objective()), kLongestLevel);
    if (plan.open_loop) {
      plan.open_loop->requests_per_second = load;
    } else {
      plan.concurrency = static_cast<int>(load);
    }
    return plan;
  }

  // What may coincide one day should coincide now: more in flight is more memory first of all.
  ReplayPlan HeaviestAtOnce(int concurrency) {
    ReplayPlan plan = ClosedPlan(context_, concurrency, kLevelTime);
    if (const auto& heavy = context_.observed.heavy_rows; !heavy.empty()) {
      plan.order.clear();
      for (const std::uint32_t row : heavy) {
        plan.order.insert(plan.order.end(), static_cast<std::size_t>(concurrency), row);
      }
    }
    plan.max_requests = plan.order.size();
    return plan;
  }

  ReplayResult Replay(const ReplayPlan& plan) {
    const std::int64_t losses_before = Losses();
    ReplayResult replay = model_.Replay(plan, end_);
    over_ =
        over_ || replay.target_lost || replay.stopped || replay.cut_off || Losses() > losses_before;
    return replay;
  }

  // Processes that ended, whether or not the model goes on without them.
  std::int64_t Losses() const {
    return model_.session().children_lost() + model_.session().Death().oom_kills;
  }

  // A quota that does not bind excuses what other work on the host makes slow, but not rows that
  // wait for each other: the share of throttled periods is left out.
  Verdict JudgeLoad(const ReplayPlan& plan, const ReplayResult& replay) {
    VerificationEvidence evidence;
    evidence.became_ready = true;
    evidence.requests = std::ssize(replay.requests);
    evidence.failures = replay.failures;
    evidence.reference_p95_ms = context_.observed.reference_p95_ms;
    NoteRate(RateOf(plan, replay, AcceptableMs(context_)), evidence);
    return Judge(evidence, LatencyDistribution(replay.SuccessLatencies()), context_.objective());
  }

  RunContext& context_;
  RunningModel& model_;
  const Deadline end_;
  bool over_ = false;
};

// In the objective's kind of load; nullopt where it is not known what the replay can drive.
std::optional<double> MostLoad(RunContext& context, const Recommendation& answer) {
  const auto& replay = context.profile().findings.replay;
  if (!replay || answer.max_requests_per_second.value_or(0) <= 0) return std::nullopt;
  const double rate = replay->requests_per_second / kReplayHeadroom;
  if (context.objective().requests_per_second) return rate;
  const double of_one = *answer.max_requests_per_second / context.objective().ConcurrencyOrOne();
  return std::min<double>(kMostInFlight, rate / of_one);
}

// Without an objective for latency there must be a reference, and noise that made it slow would let
// any load look fast.
bool CanBeJudged(RunContext& context) {
  if (!context.objective().latency_ms.empty()) return true;
  return context.observed.reference_p95_ms && !context.observed.noisy;
}

void KeepSustained(double load, double served, bool is_rate, Recommendation& answer) {
  if (!is_rate) answer.max_concurrency = static_cast<int>(load);
  answer.max_requests_per_second = std::max(answer.max_requests_per_second.value_or(0),
                                            is_rate ? std::min(load, served) : served);
}

// What the container did under the objective's own load, before more was asked of it.
void WarnUnsteady(RunContext& context, Recommendation& answer) {
  context.recorder.Warn({"unsteady",
                         "one more container at exactly the recommended limits did not start, or "
                         "lost a process under the objective's own load",
                         "profile again; until then request the next larger limits"});
  answer.confidence = answer.cpu.confidence = answer.memory.confidence = Confidence::kLow;
}

void Climb(RunContext& context, double most, Deadline end, Recommendation& answer) {
  const auto model = RunningModel::Launch(context, {answer.requested, "", true});
  if (!model) return;
  const bool ready = StartWhole(**model, end.LeftMs()).has_value();
  Levels levels(context, **model, end);
  const bool steady = ready && levels.WarmUp();
  if (end.Passed() || context.stop.stop_requested()) return;
  if (!steady) return WarnUnsteady(context, answer);
  const bool warned = context.recorder.Warned(kWorkersLost);
  const Objective& objective = context.objective();
  const bool is_rate = objective.requests_per_second.has_value();
  LoadLadder ladder(objective.requests_per_second.value_or(objective.ConcurrencyOrOne()), most,
                    !is_rate);
  while (const auto load = ladder.Next()) {
    if (levels.over()) break;
    const auto served = levels.Served(*load);
    ladder.Tell(*load, served.has_value());
    if (served) KeepSustained(*load, *served, is_rate, answer);
  }
  // What more load than was asked for ends is no fault of the model.
  if (!warned) context.recorder.Unwarn(kWorkersLost);
}

}  // namespace

void MeasureSustainedLoad(RunContext& context, Recommendation& answer) {
  const Deadline end = context.budget().AtMost(context.BudgetShare(kBudgetForMore));
  const auto most = MostLoad(context, answer);
  if (!most || !CanBeJudged(context) || context.stop.stop_requested()) return;
  if (end.Left() < TimeBeforeLoad(context) + kLongestLevel) return;
  context.recorder.Progressed(0.9, "seeing how much more load the answer holds");
  const auto peak = context.observed.peak_memory;
  Climb(context, *most, end, answer);
  // Nor is the memory that it takes the objective's.
  context.observed.peak_memory = peak;
}

}  // namespace mlprof::phases
