#include "server/profiling/phases/proof_load.h"

#include <algorithm>

#include "common/time/seconds.h"
#include "server/analysis/latency.h"
#include "server/analysis/missed_latency.h"
#include "server/analysis/row_order.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::nanoseconds;

// Of a rate; and the most that a closed loop takes for more requests than it must have.
constexpr std::chrono::seconds kVerificationTime{10};
// That a queue forgets what was before: the mean of a load then scatters by a seventh of what
// single waits scatter. Chosen, not measured.
constexpr double kTimesForgotten = 100;
// Behind a beginning that was chosen for its steadiness there is always some load that was not.
constexpr std::chrono::seconds kLeastAfterBeginning{1};

// Of a load's time, and of the most that it may take.
struct Left {
  nanoseconds time;
  nanoseconds most;
};

Left LeftOf(const ReplayPlan& plan, const ReplayResult& sent) {
  const nanoseconds took = sent.ended - sent.began;
  return {plan.max_time.value_or(nanoseconds{0}) - took,
          plan.hard_max_time.value_or(nanoseconds{0}) - took};
}

// What comes behind what was sent, for `time` where there is so much.
ReplayPlan Behind(const ReplayPlan& plan, const ReplayResult& sent, nanoseconds time) {
  const nanoseconds most = LeftOf(plan, sent).most;
  const std::size_t count = sent.requests.size();
  ReplayPlan rest = plan;
  BeginAt(count, rest);
  rest.max_time = std::min(time, most);
  rest.min_requests = plan.min_requests - std::min(plan.min_requests, count);
  rest.hard_max_time = most;
  return rest;
}

}  // namespace

nanoseconds TimeOfRate(const Workload& workload, Cores cpu) {
  const auto memory = QueueMemorySeconds(workload.objective, workload.row_times, cpu);
  // A tail that no latency was asked for comes in bursts.
  if (!memory || workload.objective.latency_ms.empty()) return kVerificationTime;
  const double seconds = std::min(kTimesForgotten * *memory, Seconds(kVerificationTime));
  return std::max<nanoseconds>(kLeastReferenceLoad + kOnePeriod,
                               nanoseconds(static_cast<std::int64_t>(seconds * 1e9)));
}

LoadTime ProofLoad(const Yardstick& yardstick, Cores cpu, nanoseconds most) {
  const Objective& objective = yardstick.workload.objective;
  const auto usual = std::min<nanoseconds>(kVerificationTime, most);
  LoadTime load{usual, RequestsToSee(objective), most};
  if (yardstick.workload.each_row_once) return load;
  if (objective.requests_per_second) {
    load.time = std::min(TimeOfRate(yardstick.workload, cpu), usual);
    return load;
  }
  load.time = std::min<nanoseconds>(kLeastReferenceLoad + kOnePeriod, most);
  load.until = usual;
  const double in_time = RequestsWithin(yardstick.reference, kVerificationTime);
  const std::size_t for_tail = RequestsForConfidence(0.99);
  if (objective.latency_ms.empty() && in_time >= static_cast<double>(for_tail)) {
    load.min_requests = std::max(load.min_requests, for_tail);
    load.longest = std::min(2 * usual, most);
  }
  return load;
}

std::optional<ReplayPlan> RestOf(const ReplayPlan& plan, const LoadTime& load,
                                 const ReplayResult& sent, const std::optional<Tail>& tail) {
  const bool ended = sent.stopped || sent.cut_off || sent.target_lost || sent.requests.empty();
  if (plan.open_loop || plan.max_requests || ended) return std::nullopt;
  const nanoseconds left = load.until - (sent.ended - sent.began);
  if (left < kOnePeriod || !tail || !tail->InDoubt()) return std::nullopt;
  ReplayPlan rest = plan;
  BeginAt(sent.requests.size(), rest);
  rest.max_time = rest.hard_max_time = left;
  rest.min_requests = 0;
  return rest;
}

std::optional<ReplayPlan> AfterBeginning(const ReplayPlan& plan, const ReplayResult& begun) {
  const Left left = LeftOf(plan, begun);
  if (left.most < kLeastAfterBeginning) return std::nullopt;
  return Behind(plan, begun, std::max<nanoseconds>(left.time, kLeastAfterBeginning));
}

ReplayPlan FirstBlockOf(const ReplayPlan& plan) {
  ReplayPlan block = plan;
  block.max_time = std::min(plan.max_time, std::optional<nanoseconds>(kFirstBlockTime));
  block.min_requests = UpToWholeBlock(plan.order.size(), kBlockRows);
  return block;
}

std::optional<ReplayPlan> NextBlock(const ReplayPlan& plan, const ReplayResult& sent) {
  const Left left = LeftOf(plan, sent);
  const bool whole = left.time <= nanoseconds{0} && sent.requests.size() >= plan.min_requests;
  if (whole || left.most <= nanoseconds{0}) return std::nullopt;
  ReplayPlan block =
      Behind(plan, sent, std::clamp<nanoseconds>(left.time, nanoseconds{0}, kFirstBlockTime));
  block.min_requests = std::min(block.min_requests, UpToWholeBlock(plan.order.size(), kBlockRows));
  return block;
}

void SendBlocks(const ReplayPlan& plan, const ReplayResult& sent,
                const std::function<bool()>& enough,
                const std::function<void(const ReplayPlan& block)>& send) {
  while (!enough()) {
    const auto block = NextBlock(plan, sent);
    if (!block) return;
    const std::size_t before = sent.requests.size();
    send(*block);
    if (sent.requests.size() == before) return;
  }
}

bool HasMissed(const Objective& objective, const ReplayPlan& plan, const ReplayResult& sent) {
  if (objective.latency_ms.empty() || plan.open_loop) return false;
  if (sent.requests.empty() || sent.failures > 0) return false;
  const double seconds = sent.Seconds();
  const double whole = seconds > 0 && plan.max_time ? Seconds(*plan.max_time) / seconds : 1;
  const auto in_time =
      static_cast<std::size_t>(static_cast<double>(sent.requests.size()) * std::max(1.0, whole));
  return HasMissedLatency(CountedVisits(plan, sent),
                          std::max({in_time, plan.min_requests, RequestsToSee(objective)}),
                          objective);
}

double ServingSeconds(const ReplayPlan& plan, const ReplayResult& replay) {
  const bool once = plan.max_requests == plan.order.size();
  if (once && replay.requests.size() >= plan.order.size()) {
    return std::max(replay.Seconds(), kQuotaPeriods * 0.1);
  }
  const auto served = plan.open_loop && plan.max_time
                          ? std::max(replay.ended, replay.began + *plan.max_time)
                          : replay.ended;
  const bool whole = !replay.stopped && !replay.cut_off && !replay.requests.empty();
  return Seconds((whole ? served : replay.ended) - replay.began);
}

}  // namespace mlprof::server::phases
