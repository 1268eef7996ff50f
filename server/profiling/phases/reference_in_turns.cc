#include "server/profiling/phases/reference_in_turns.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/stopped_time.h"
#include "server/analysis/verdict.h"
#include "server/profiling/phases/run_times.h"
#include "server/profiling/phases/workers.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kReferenceTime{3};
// Of what a request took of the CPU without a limit. Chosen, not measured.
constexpr double kCheaperOnAnother = 0.90;
constexpr double kDearerOnAnother = 1.10;
// Another host altogether. Chosen, not measured.
constexpr double kFastestHost = 0.75;
constexpr double kSlowestHost = 1.25;
// As many requests as p99 takes have this long to come.
constexpr std::chrono::seconds kLongestReference{15};
// In which a model reads again what it lacked, some pages a request. Chosen, not measured.
constexpr std::chrono::seconds kReadAgain{1};

// Some more than p99 takes, in case a few fail.
std::size_t RequestsOf(const TurnPlan& turn) {
  const std::size_t for_tail = RequestsForConfidence(0.99);
  return turn.tail_counts ? for_tail + for_tail / 20 : RequestsForConfidence(0.95);
}

ReplayPlan PlanOf(const Yardstick& yardstick, Seed seed, const TurnPlan& turn) {
  const auto longest = std::min<std::chrono::nanoseconds>(kLongestReference, turn.longest);
  const ReplayPlan held =
      ObjectivePlan(yardstick.workload, seed, {kReferenceTime, RequestsOf(turn), longest});
  return turn.fresh ? WithFreshConnections(held) : held;
}

bool LiftAll(Lab& lab, const Yardstick& yardstick, Container& container) {
  if (!container.LiftLimits()) return false;
  const Workload& workload = yardstick.workload;
  const ReplayPlan again =
      ClosedPlan(workload, container.seed(), workload.objective.ConcurrencyOrOne(), kReadAgain);
  const auto longest = LongestReplay(yardstick.pace, kReadAgain, lab.ceiling().cpu());
  return !container.Replay(again, lab.budget().AtMost(longest)).target_lost;
}

}  // namespace

std::optional<double> CostBeside(const Reference& reference, const Workload& workload,
                                 const Container& container, const ReplayResult& load) {
  const bool enough = load.requests.size() >= RequestsForConfidence(0.95);
  if (!enough || workload.each_row_once) return std::nullopt;
  Look run;
  SetCost(Summarize(container.SamplesOf(load)), load, run);
  return CostBeside(reference, run);
}

std::optional<double> CostBeside(const Reference& reference, const Look& look) {
  const auto usual = UsualCost(reference);
  if (!usual || *usual <= 0 || !look.cpu_seconds_per_query) return std::nullopt;
  return *look.cpu_seconds_per_query / *usual;
}

bool IsOnFasterHost(const std::optional<double>& cost) { return cost && *cost < kCheaperOnAnother; }

bool IsOnSlowerHost(const std::optional<double>& cost) { return cost && *cost > kDearerOnAnother; }

bool IsAnotherHost(double cost) { return cost < kFastestHost || cost > kSlowestHost; }

bool IsStoppedTooLong(const Lab& lab, const BorneLoad& load, const Reference& beside) {
  const ReplayResult& replay = load.replay;
  if (load.plan.open_loop || !load.workload.objective.latency_ms.empty()) return false;
  if (replay.SuccessLatencies().size() < RequestsForConfidence(0.95)) return false;
  if (!IsSlow(Compare(LookAt(load.plan, replay), beside.looks))) return false;
  const StoppedTime stopped(load.container.SamplesOf(replay));
  const std::chrono::duration<double> held_up = stopped.Within(replay.began, replay.ended);
  return held_up.count() > (1 - kThroughputTolerance) * lab.machine().cores * replay.Seconds();
}

bool IsClearlySlow(const Lab& lab, const BorneLoad& load, const Reference& beside) {
  const Workload& workload = load.workload;
  if (IsStoppedTooLong(lab, load, beside)) return true;
  if (!workload.objective.latency_ms.empty() || lab.host().busy()) return false;
  const auto cost = CostBeside(beside, workload, load.container, load.replay);
  if (!cost || IsOnSlowerHost(cost)) return false;
  const auto pair = Compare(LookAt(load.plan, load.replay), beside.looks);
  return pair.p95_ms && pair.reference_p95_ms &&
         *pair.p95_ms > kClearlySlow * *pair.reference_p95_ms;
}

std::optional<Reference> OnSlowerHost(const BorneLoad& load, const Reference& beside,
                                      const std::function<bool(const Reference&)>& holds) {
  const auto cost = CostBeside(beside, load.workload, load.container, load.replay);
  if (!cost || *cost <= 1 || IsAnotherHost(*cost)) return std::nullopt;
  const std::vector<Sample> samples = load.container.SamplesOf(load.replay);
  if (!Summarize(samples).throttled_share) return std::nullopt;
  const Look unstopped = LookAt(load.plan, WithoutStops(load.replay, samples));
  const Reference beside_itself = OnlyWith(beside, unstopped);
  if (beside_itself.p95_ms.value_or(0) <= 0 || unstopped.requests_per_second <= 0) {
    return std::nullopt;
  }
  Reference slower = OnHostOfCost(beside, *cost);
  if (!holds(slower) || !holds(beside_itself)) return std::nullopt;
  return slower;
}

std::optional<Look> LookWithoutLimit(Lab& lab, const Yardstick& yardstick, Container& container,
                                     const TurnPlan& turn) {
  const Cores ceiling = lab.ceiling().cpu();
  if (turn.all_memory && !LiftAll(lab, yardstick, container)) return std::nullopt;
  const Cores limit = container.limits().cpu();
  if (!container.SetCpu(ceiling)) return std::nullopt;
  const ReplayPlan plan = PlanOf(yardstick, container.seed(), turn);
  const auto longest = LongestReplay(yardstick.pace, *plan.hard_max_time, ceiling);
  const ReplayResult replay = container.Replay(plan, lab.budget().AtMost(longest));
  if (Status back = container.SetCpu(limit); !back) return std::nullopt;
  Look look = LookAt(plan, replay);
  const ResourceUse use = Summarize(container.SamplesOf(replay));
  SetCost(use, replay, look);
  if (turn.all_memory && PagesReadBack{use.refaults, std::ssize(replay.requests)}.often()) {
    return std::nullopt;
  }
  const double judged = turn.tail_decides ? 0.99 : 0.95;
  if (look.visits.size() < RequestsForConfidence(judged)) return std::nullopt;
  return look;
}

}  // namespace mlprof::server::phases
