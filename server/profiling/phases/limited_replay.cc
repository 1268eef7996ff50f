#include "server/profiling/phases/limited_replay.h"

#include <algorithm>
#include <utility>

#include "server/analysis/heap.h"
#include "server/analysis/latency.h"
#include "server/analysis/row_order.h"
#include "server/profiling/phases/hopeless_load.h"
#include "server/profiling/phases/proof_load.h"
#include "server/profiling/phases/reference_in_turns.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/run_times.h"

namespace mlprof::server::phases {
namespace {

// So many times what reaching every worker took at the ceiling, and as long as other bursts.
constexpr double kSlowReach = 3;

// What was hopeless for so long is left.
constexpr std::chrono::seconds kHopelessTime{2};

// What was not answered in time is none: bursts are there for their memory.
bool IsNewError(const Reference& reference, const ReplayResult& burst) {
  return std::any_of(burst.requests.begin(), burst.requests.end(), [&](const auto& request) {
    return request.http_status >= 500 && !reference.failing_rows.contains(request.row);
  });
}

std::chrono::milliseconds Milliseconds(double ms) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

}  // namespace

LimitedReplay::LimitedReplay(Lab& lab, const Yardstick& yardstick, const LimitedRunPlan& wanted,
                             Container& container)
    : lab_(lab),
      yardstick_(yardstick),
      wanted_(wanted),
      container_(container),
      plan_(ObjectivePlan(yardstick.workload, container.seed(),
                          PartOf(wanted.load, yardstick.workload.objective))) {}

// The heaviest rows come before the load, which may be too short to reach them: first of all, or
// once all rows were seen where first visits cost more; after it where they cost nothing any more
// once they were seen. Errors are counted in the load alone, where each row comes as often as the
// objective has it.
PhaseResult<void> LimitedReplay::ReplayAll() {
  const bool each_once = yardstick_.workload.each_row_once;
  const bool seen_first = yardstick_.pace.first_pass.matters;
  if (!each_once && !seen_first && !SurvivesHeavyRows()) return {};
  if (auto warm = WarmUp(); !warm) return warm;
  if (!facts_.warm_up.survived) return {};
  if (!each_once && seen_first && !SurvivesHeavyRows()) return {};
  if (!each_once && !SurvivesInFlight()) return {};
  // Which rows reach every worker is not known, and each may come but once where they are cached:
  // there they come after the load, and have their price at the workers that it did not reach.
  if (!each_once && !ReachesWorkers()) return {};
  const bool begins = BeginsTheLoad(yardstick_, plan_);
  MeasureLoad(yardstick_.reference, begins ? std::move(facts_.warm_up.beginning) : ReplayResult());
  if (each_once && facts_.serves() && SurvivesHeavyRows()) ReachesWorkers();
  // A model that got somewhere after all has to bear them.
  if (heavy_rows_left_ && facts_.serves() && !facts_.hopeless) {
    ReplayResult burst;
    const ReplayPlan plan = HeavyPlan(yardstick_.workload, LongestBurst());
    if (SurvivesRestOfHeavyRows(plan, burst)) Bears(burst);
  }
  return {};
}

bool LimitedReplay::SurvivesHeavyRows() {
  const auto longest = LongestBurst();
  ReplayPlan plan = HeavyPlan(yardstick_.workload, longest);
  ReplayPlan beginning = plan;
  beginning.max_time = std::min<std::chrono::nanoseconds>(kHopelessTime, longest);
  ReplayResult result;
  // A first row may take as long as ever: only the sending ends.
  if (!Survives(beginning, longest, result)) return false;
  // Rows that may come but once come behind the load, and what is left here would never come.
  heavy_rows_left_ = !yardstick_.workload.each_row_once && IsHopelessBurst(result) &&
                     result.requests.size() < plan.order.size();
  plan.max_time = longest - *beginning.max_time;
  if (!heavy_rows_left_ && !SurvivesRestOfHeavyRows(plan, result)) return false;
  return Bears(result);
}

// Behind what was sent of them.
bool LimitedReplay::SurvivesRestOfHeavyRows(ReplayPlan plan, ReplayResult& burst) {
  // The same row in flight everywhere is what meets: where some of it was sent, it comes whole
  // again.
  const auto at_once = static_cast<std::size_t>(plan.concurrency);
  const std::size_t sent = burst.requests.size() / at_once * at_once;
  if (sent >= plan.order.size() || plan.max_time <= std::chrono::nanoseconds(0)) return true;
  BeginAt(sent, plan);
  *plan.max_requests -= sent;
  ReplayResult rest;
  const bool survived = Survives(plan, *plan.max_time, rest);
  Append(burst, rest);
  return survived;
}

// It tells of memory by its kills and its errors. Where a model gets nowhere, the load tells more.
bool LimitedReplay::IsHopelessBurst(const ReplayResult& burst) const {
  return IsHopeless(yardstick_, burst, container_.SamplesOf(burst), 1);
}

// A kernel kills where memory is short; a runtime with a heap of its own answers with an error, and
// lives on. One that does so without limits as well tells nothing.
bool LimitedReplay::Bears(const ReplayResult& burst) {
  const auto& failure = burst.first_failure;
  const Reference& reference = yardstick_.reference;
  // A framework whose pool of device memory is full answers with an error and lives on, too; its
  // words are in no one place, and under settings of ours any new error is one too many.
  facts_.failed_in_burst = wanted_.limits.device_memory() &&
                           !yardstick_.setup.environment.empty() && IsNewError(reference, burst);
  if (facts_.failed_in_burst) return false;
  if (!failure || reference.full_heap_in_bursts || reference.failing_rows.contains(failure->row)) {
    return true;
  }
  facts_.full_heap_in_burst = FullHeapWords(failure->body).value_or("");
  return facts_.full_heap_in_burst.empty();
}

// As many ordinary rows as may meet one day, warm. How long they take is no matter, and neither is
// whether all of them are answered in time: they are there for their memory.
bool LimitedReplay::SurvivesInFlight() {
  const Workload& workload = yardstick_.workload;
  if (workload.in_flight < 2) return true;
  const auto time = std::min<std::chrono::nanoseconds>(
      std::max<std::chrono::nanoseconds>(kLongestBurst, 2 * InFlightTime(workload, Cpu())),
      lab_.budget().Left() / 3);
  const ReplayResult meeting =
      container_.Replay(InFlightPlan(workload, container_.seed(), time), EndOf(time));
  facts_.died = facts_.died || meeting.target_lost;
  return !facts_.died && Bears(meeting);
}

PhaseResult<void> LimitedReplay::WarmUp() {
  const auto warm_up = WarmUpAtLimits(
      lab_, yardstick_, container_,
      [this](const ReplayPlan& plan, std::chrono::nanoseconds time, ReplayResult& result) {
        return Survives(plan, time, result);
      },
      [this](const ReplayResult& windows) { return MissesFromTheFirst(windows); });
  if (!warm_up) {
    return FailRun({"RuntimeFailed",
                    "the CPU limit could not be set: " + warm_up.error().message(),
                    {"run `mlprof doctor` on the server's machine"},
                    ""});
  }
  facts_.warm_up = *warm_up;
  gets_nowhere_ = warm_up->hopeless;
  return {};
}

// Every serving process has its first row before the measured load, which may reach one of them
// only. False where the rest is not worth running: what was killed for memory tells enough.
bool LimitedReplay::ReachesWorkers() {
  const Pace& pace = yardstick_.pace;
  const double seconds =
      kSlowReach * (pace.reach_seconds + pace.reach_cpu_seconds / wanted_.limits.cpu().value());
  const std::chrono::nanoseconds time = kLongestBurst + Milliseconds(seconds * 1000);
  facts_.workers = ReachWorkers(lab_, container_, yardstick_.workload, [&](const ReplayPlan& plan) {
    const bool stalled = facts_.stalled;
    const ReplayResult burst = Replay(plan, time);
    // A connection that nobody accepts while others are held has no answer at any CPU limit.
    if (plan.connections.policy == agent_protocol::Connections::Policy::kManyHeld) {
      facts_.stalled = stalled;
    }
    return burst;
  });
  return facts_.serves() && container_.OomKills() == 0;
}

void LimitedReplay::MeasureLoad(const Reference& beside, ReplayResult begun) {
  facts_.began_warming = !begun.requests.empty();
  facts_.hopeless = false;
  facts_.fresh.reset();
  if (facts_.warm_up.told && facts_.began_warming) {
    facts_.load = std::move(begun);
    // Its pages were read for the first time.
    facts_.warm_at = facts_.load.ended;
    return;
  }
  facts_.load = ReplayLoad(plan_, beside, std::move(begun));
  const bool bears_more = facts_.serves() && !facts_.hopeless;
  if (HasFreshPart() && bears_more && !IsRefused(beside)) MeasureFresh(beside);
}

// Where rows that were seen are answered from memory they cannot come a second time.
bool LimitedReplay::HasFreshPart() const {
  return yardstick_.workload.objective.connections == ConnectionUse::kBoth &&
         !yardstick_.workload.each_row_once;
}

bool LimitedReplay::LacksFreshPart() const {
  return HasFreshPart() && !facts_.fresh && facts_.serves() && !facts_.hopeless &&
         !facts_.load.requests.empty();
}

// What decides already needs no second part.
bool LimitedReplay::IsRefused(const Reference& beside) const {
  const auto compared = Beside(beside, plan_, facts_.load);
  return compared && (IsSlow(*compared) || (compared->tail && compared->tail->Fails()));
}

void LimitedReplay::MeasureFresh(const Reference& beside) {
  facts_.fresh = ReplayLoad(WithFreshConnections(plan_), FreshOf(beside));
}

// What one of several runs shows with the requests of a p95, or with a block of rows that miss a
// latency, may be enough; else it goes on for those of p99, and to see a tail that is in doubt.
ReplayResult LimitedReplay::ReplayLoad(const ReplayPlan& plan, const Reference& beside,
                                       ReplayResult load) {
  const LoadTime time = PartOf(wanted_.load, yardstick_.workload.objective);
  ReplayPlan first = plan;
  // Rows that may come but once have their count, and a rate its schedule.
  const bool in_parts = !plan.open_loop && !plan.max_requests;
  if (wanted_.once && in_parts) {
    first.min_requests = std::min(first.min_requests,
                                  UpToWholeBlock(plan.order.size(), RequestsForConfidence(0.95)));
  }
  if (std::exchange(gets_nowhere_, false) && in_parts) {
    if (auto hopeless = ReplayHopelessLoad(first)) return *std::move(hopeless);
  }
  if (!load.requests.empty()) facts_.warm_at = load.ended;
  load = GoOn(MayEndByBlock(plan) ? FirstBlockOf(first) : first, std::move(load));
  if (MayEndByBlock(plan)) {
    SendBlocks(
        plan, load, [&] { return HasSentEnough(plan, beside, load); },
        [&](const ReplayPlan& block) { Send(block, load); });
  }
  const bool wants_more = in_parts && load.requests.size() < plan.min_requests;
  if (wants_more && !HasSentEnough(plan, beside, load)) {
    Send(AfterBeginning(plan, load), load);
  }
  if (HasSentEnough(plan, beside, load)) return load;
  const auto compared = Beside(beside, plan, load);
  Send(RestOf(plan, time, load, compared ? compared->tail : std::nullopt), load);
  return load;
}

// Anew where too little of it is left.
ReplayResult LimitedReplay::GoOn(const ReplayPlan& plan, ReplayResult load) {
  const auto rest = load.requests.empty() ? std::nullopt : AfterBeginning(plan, load);
  if (!rest) return Replay(plan, *plan.hard_max_time);
  Send(rest, load);
  return load;
}

void LimitedReplay::Send(const std::optional<ReplayPlan>& rest, ReplayResult& load) {
  if (rest) Append(load, Replay(*rest, *rest->hard_max_time));
}

// One of several runs that is to tell whether the limit holds what is asked for; of one in flight,
// as each part waits for its last rows.
bool LimitedReplay::MayEndByBlock(const ReplayPlan& plan) const {
  return wanted_.once && wanted_.purpose == TrialPurpose::kTightness && plan.concurrency == 1 &&
         !plan.open_loop && !plan.max_requests && !yardstick_.workload.objective.latency_ms.empty();
}

// Windows whose rows cost no more for being the first are as much of the load as what comes later;
// what works beside them in a process that is cold is in their CPU. Rows that wait for their pages
// may not do so any more once those were read.
bool LimitedReplay::MissesFromTheFirst(const ReplayResult& windows) const {
  const bool may = wanted_.lowers_cpu_alone && MayEndByBlock(plan_) &&
                   BeginsTheLoad(yardstick_, plan_) && yardstick_.setup.environment.empty() &&
                   yardstick_.pace.first_pass.costs_the_same;
  if (!may || !HasMissed(yardstick_.workload.objective, plan_, windows)) return false;
  const ResourceUse use = Summarize(container_.SamplesOf(windows));
  if (PagesReadBack{use.refaults, std::ssize(windows.requests)}.often()) return false;
  Look look;
  SetCost(use, windows, look);
  const auto cost = CostBeside(yardstick_.reference, look);
  return cost && !IsOnSlowerHost(cost);
}

// Two seconds of the load, where that is hopeless still, or all that there was time for; else it
// has warmed the model up.
std::optional<ReplayResult> LimitedReplay::ReplayHopelessLoad(const ReplayPlan& plan) {
  ReplayPlan beginning = plan;
  beginning.max_time = std::min<std::chrono::nanoseconds>(kHopelessTime, *plan.hard_max_time);
  beginning.min_requests = kRequestsOfHopelessLoad;
  ReplayResult load = Replay(beginning, *beginning.hard_max_time);
  facts_.hopeless = facts_.serves() && IsHopeless(yardstick_, load, container_.SamplesOf(load),
                                                  kRequestsOfHopelessLoad);
  const bool is_all = load.requests.size() < kRequestsOfHopelessLoad || !facts_.serves();
  return facts_.hopeless || is_all ? std::optional(std::move(load)) : std::nullopt;
}

bool LimitedReplay::HasSentEnough(const ReplayPlan& plan, const Reference& beside,
                                  const ReplayResult& load) const {
  if (!facts_.serves()) return true;
  const bool may_end = wanted_.once && yardstick_.setup.environment.empty();
  return may_end &&
         ((MayEndByBlock(plan) && HasMissed(yardstick_.workload.objective, plan, load)) ||
          IsClearlySlow(lab_, {yardstick_.workload, container_, plan, load}, beside));
}

// Where it is judged so at all.
std::optional<BesideReference> LimitedReplay::Beside(const Reference& reference,
                                                     const ReplayPlan& plan,
                                                     const ReplayResult& load) const {
  const bool judged = yardstick_.workload.objective.latency_ms.empty() && !reference.looks.empty();
  if (!judged) return std::nullopt;
  return Compare(LookAt(plan, load, container_.Samples()), reference.looks);
}

bool LimitedReplay::Survives(const ReplayPlan& plan, std::chrono::nanoseconds time,
                             ReplayResult& result) {
  result = Replay(plan, time);
  return facts_.serves();
}

ReplayResult LimitedReplay::Replay(const ReplayPlan& plan, std::chrono::nanoseconds time) {
  const auto longest_row = LongestReplay(yardstick_.pace, std::chrono::nanoseconds(0), Cpu());
  ReplayResult result = container_.Replay(plan, EndOf(time), longest_row);
  facts_.died = facts_.died || result.target_lost;
  facts_.stalled = facts_.stalled || result.cut_off;
  facts_.futile = facts_.futile || result.futile;
  return result;
}

// Within which a replay of `time` must have its last response.
Deadline LimitedReplay::EndOf(std::chrono::nanoseconds time) const {
  return lab_.budget().AtMost(LongestReplay(yardstick_.pace, time, Cpu()));
}

std::chrono::nanoseconds LimitedReplay::LongestBurst() const {
  return std::min<std::chrono::nanoseconds>(kLongestBurst, lab_.budget().Left() / 3);
}

}  // namespace mlprof::server::phases
