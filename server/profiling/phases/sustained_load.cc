#include "server/profiling/phases/sustained_load.h"

#include <algorithm>

#include "common/time/seconds.h"
#include "server/analysis/confidence.h"
#include "server/analysis/latency.h"
#include "server/analysis/load_curve.h"
#include "server/analysis/verdict.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/limited_warm_up.h"
#include "server/profiling/phases/load.h"
#include "server/profiling/phases/preflight.h"
#include "server/profiling/phases/proof_load.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

// A tenth of the default budget (30 s) holds four or five of these loads. Chosen, not measured.
constexpr std::chrono::seconds kShortestLevel{2};
constexpr std::chrono::seconds kLongestLevel{5};
// The p95 of fewer requests than these is simply the largest.
constexpr std::ptrdiff_t kFewestRequests = 20;
// A percentile of the slowest rows. Chosen, not measured.
constexpr double kOfSlowestRows = 0.9;
// For the requests that a bound on rare kills lacks (docs/MEASUREMENT.md); of a rate with a latency
// what the three loads of its proof are shorter by at most (proof_load.h).
constexpr std::chrono::seconds kLongestTopUp{10};
constexpr std::chrono::seconds kLongestTopUpOfRate{21};

std::chrono::seconds LongestTopUp(const Objective& objective) {
  const bool shorter = objective.requests_per_second && !objective.latency_ms.empty();
  return shorter ? kLongestTopUpOfRate : kLongestTopUp;
}

// Requests that a bound on rare kills lacks, and how long they take.
struct Missing {
  std::int64_t requests = 0;
  double seconds = 0;
};

// None where they do not come in time.
Missing MissingOf(const ProvenLoad& proven, const Objective& objective) {
  const std::int64_t missing = kRequestsForMemory - proven.requests;
  const double seconds =
      static_cast<double>(missing) / std::max(proven.requests_per_second.value_or(0), 1e-9);
  const bool come = missing > 0 && seconds <= Seconds(LongestTopUp(objective));
  return come ? Missing{missing, seconds} : Missing{};
}

// Whether a latency is asked for, and each of few rows.
bool IsOfSlowestRows(const Objective& objective) {
  return !objective.latency_ms.empty() &&
         std::ranges::all_of(objective.latency_ms, [](const auto& limit) {
           return QuantileOfKey(limit.first).value_or(0) >= kOfSlowestRows;
         });
}

// The loads, one after the other, in one container. The objective's kind of load: rows in flight or
// requests per second.
class Levels {
 public:
  Levels(Lab& lab, const Yardstick& yardstick, Container& container, Deadline end)
      : lab_(lab),
        workload_(yardstick.workload),
        reference_(yardstick.reference),
        container_(container),
        end_(end) {}

  /// Whether the container bore the objective's own load.
  bool WarmUp(const Yardstick& yardstick) {
    if (yardstick.pace.first_pass.matters) {
      const auto warm_up = WarmUpAtLimits(
          lab_, yardstick, container_,
          [this](const ReplayPlan& plan, std::chrono::nanoseconds, ReplayResult& result) {
            result = Replay(plan);
            return !over_;
          });
      if (!warm_up || over_) return false;
    }
    Replay(ObjectivePlan(workload_, container_.seed(), {kShortestLevel, 0, kShortestLevel}));
    return !over_;
  }

  /// Requests per second that were served under `load`; nullopt where the objective broke.
  std::optional<double> Served(double load) {
    const ReplayPlan plan = PlanOf(load);
    // The heaviest rows at once: more rows in flight take more memory first of all, and in a short
    // load they might not meet.
    Replay(BurstOf(load, plan));
    if (over_) return std::nullopt;
    const Timestamp began = Now();
    const ReplayResult replay = ReplayLevel(plan);
    if (over_) return std::nullopt;
    Trial trial = MakeTrial(container_, workload_, TrialPurpose::kLoadCurve, plan, began, replay);
    const Verdict verdict = JudgeLoad(plan, replay);
    const bool enough = std::ssize(replay.requests) >= kFewestRequests;
    trial.passed = verdict.passed && enough;
    trial.verdict = enough ? verdict.sentence : "too few requests to judge by";
    lab_.Record(trial);
    if (!trial.passed) return std::nullopt;
    return trial.measurements.queries_per_second;
  }

  /// What a bound on rare kills lacks yet, of the objective's own load. False where a process did
  /// not survive it.
  bool TopUp(const ProvenLoad& proven) {
    const Missing missing = MissingOf(proven, workload_.objective);
    const double left = Seconds(end_.Left());
    if (missing.requests == 0 || left < missing.seconds + Seconds(kLongestLevel)) return true;
    const ReplayPlan plan =
        ObjectivePlan(workload_, container_.seed(),
                      {std::chrono::nanoseconds(0), static_cast<std::size_t>(missing.requests),
                       LongestTopUp(workload_.objective)});
    const Timestamp began = Now();
    const std::int64_t losses_before = container_.Losses();
    const ReplayResult replay = ReplayCounted(plan);
    const bool survived = !replay.target_lost && container_.Losses() == losses_before;
    Trial trial = MakeTrial(container_, workload_, TrialPurpose::kSoak, plan, began, replay);
    trial.passed = survived;
    trial.verdict = survived ? "no process was lost under more of the objective's load"
                             : "a process was lost under the objective's load";
    lab_.Record(trial);
    return survived;
  }

  std::int64_t requests() const { return requests_; }

  /// The container is of no more use, or no time is left for another load.
  bool over() const { return over_ || end_.Left() < kShortestLevel + kLongestLevel; }

 private:
  ReplayPlan PlanOf(double load) const {
    ReplayPlan plan =
        ObjectivePlan(workload_, container_.seed(),
                      {kShortestLevel, RequestsToSee(workload_.objective), kLongestLevel});
    if (plan.open_loop) {
      plan.open_loop->requests_per_second = load;
    } else {
      plan.concurrency = static_cast<int>(load);
    }
    return plan;
  }

  ReplayPlan BurstOf(double load, const ReplayPlan& plan) const {
    if (!plan.open_loop) return HeavyPlan(workload_, plan.concurrency, kShortestLevel);
    Workload more = workload_;
    more.objective.requests_per_second = load;
    more.in_flight =
        std::max(workload_.in_flight, InFlightOf(more.objective, reference_.mean_ms.value_or(0)));
    return InFlightPlan(more, container_.seed(), kShortestLevel);
  }

  ReplayResult Replay(const ReplayPlan& plan) {
    const std::int64_t losses_before = container_.Losses();
    ReplayResult replay = container_.Replay(plan, end_);
    over_ = over_ || replay.target_lost || replay.stopped || replay.cut_off ||
            container_.Losses() > losses_before;
    return replay;
  }

  // Rows as the objective has them, or more of them in flight: what met no kill is counted.
  ReplayResult ReplayCounted(const ReplayPlan& plan) {
    ReplayResult replay = Replay(plan);
    if (!over_) requests_ += std::ssize(replay.requests) - replay.failures;
    return replay;
  }

  // In blocks where one of them may show that the slowest rows miss a latency. Between them the
  // rows in flight are waited for, which helps only those that come then.
  ReplayResult ReplayLevel(const ReplayPlan& plan) {
    const Objective& objective = workload_.objective;
    if (plan.open_loop || !IsOfSlowestRows(objective)) return ReplayCounted(plan);
    ReplayResult level;
    SendBlocks(
        plan, level, [&] { return over_ || HasMissed(objective, plan, level); },
        [&](const ReplayPlan& block) { Append(level, ReplayCounted(block)); });
    return level;
  }

  // A quota that does not bind excuses what other work on the host makes slow, but not rows that
  // wait for each other: the share of throttled periods is left out.
  Verdict JudgeLoad(const ReplayPlan& plan, const ReplayResult& replay) const {
    VerificationEvidence evidence;
    evidence.became_ready = true;
    evidence.requests = std::ssize(replay.requests);
    evidence.failures = replay.failures;
    evidence.reference_p95_ms = reference_.p95_ms;
    const Objective& objective = workload_.objective;
    SetRate(RateOf(plan, replay, AcceptableMs(reference_, objective)), evidence);
    return Judge(evidence, LatencyDistribution::ByRow(CountedVisits(plan, replay)), objective);
  }

  Lab& lab_;
  const Workload& workload_;
  const Reference& reference_;
  Container& container_;
  const Deadline end_;
  std::int64_t requests_ = 0;
  bool over_ = false;
};

// In the objective's kind of load.
double MostLoad(const Objective& objective, const ReplayCapacity& capacity, double proven_rate) {
  const double rate = capacity.requests_per_second / kReplayHeadroom;
  if (objective.requests_per_second) return rate;
  const double of_one = proven_rate / objective.ConcurrencyOrOne();
  return std::min<double>(kMostInFlight, rate / of_one);
}

// Without an objective for latency there must be a reference, and noise that made it slow would let
// any load look fast.
bool CanBeJudged(Lab& lab, const Yardstick& yardstick) {
  if (!yardstick.workload.objective.latency_ms.empty()) return true;
  return yardstick.reference.p95_ms && !lab.host().noisy();
}

SustainedFacts Climb(Lab& lab, const Yardstick& yardstick, Container& container,
                     const ReplayCapacity& capacity, const ProvenLoad& proven) {
  SustainedFacts facts;
  const Budget& budget = lab.budget();
  const auto share = budget.For(Spend::kSustained);
  const auto before = budget.Left();
  const auto longest = budget.starts_left() > 0
                           ? LongestStart(yardstick, container.limits().cpu())
                           : std::chrono::ceil<std::chrono::milliseconds>(share);
  const bool ready = container.StartWhole(longest).has_value();
  // Of a start that was added to the budget nothing is taken off the share.
  const Deadline end = budget.AtMost(share - (before - budget.Left()));
  Levels levels(lab, yardstick, container, end);
  const bool steady = ready && levels.WarmUp(yardstick);
  if (end.Passed() || lab.stopped() || container.WasEndedForDisk()) return facts;
  facts.unsteady = !steady || (!yardstick.workload.each_row_once && !levels.TopUp(proven));
  if (facts.unsteady) return facts;
  const Objective& objective = yardstick.workload.objective;
  const bool is_rate = objective.requests_per_second.has_value();
  LoadLadder ladder(objective.requests_per_second.value_or(objective.ConcurrencyOrOne()),
                    MostLoad(objective, capacity, proven.requests_per_second.value_or(1)),
                    !is_rate);
  while (const auto load = ladder.Next()) {
    if (levels.over() || !CanBeJudged(lab, yardstick)) break;
    const auto served = levels.Served(*load);
    ladder.Tell(*load, served.has_value());
    if (!served) continue;
    if (!is_rate) facts.concurrency = static_cast<int>(*load);
    facts.requests_per_second = std::max(facts.requests_per_second.value_or(0),
                                         is_rate ? std::min(*load, *served) : *served);
  }
  facts.requests = levels.requests();
  return facts;
}

}  // namespace

bool CanMeasureSustainedLoad(Lab& lab, const Yardstick& yardstick,
                             const std::optional<ReplayCapacity>& capacity,
                             const ProvenLoad& proven) {
  const bool tells =
      CanBeJudged(lab, yardstick) || MissingOf(proven, yardstick.workload.objective).requests > 0;
  return capacity && proven.requests_per_second.value_or(0) > 0 && tells && !lab.stopped() &&
         lab.budget().For(Spend::kSustained) >=
             TimeBeforeLoad(lab.budget(), yardstick) + kLongestLevel;
}

SustainedFacts MeasureSustainedLoad(Lab& lab, const Yardstick& yardstick, const Limits& answer,
                                    const ReplayCapacity& capacity, const ProvenLoad& proven) {
  lab.Progressed(0, "seeing how much more load the answer holds");
  const auto container =
      lab.Launch({answer, yardstick.setup, lab.NextSeed(), PageCache::kCold, Use::kBeyond});
  if (!container) return {};
  const SustainedFacts facts = Climb(lab, yardstick, **container, capacity, proven);
  (*container)->Close();
  return facts;
}

}  // namespace mlprof::server::phases
