#include "server/profiling/phases/load.h"

#include <algorithm>

#include "common/time/seconds.h"
#include "server/analysis/heap.h"
#include "server/analysis/in_flight.h"
#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/proof_load.h"

namespace mlprof::server::phases {
namespace {

// The most for the requests that a percentile takes, and for a queue that remembers for long. A
// hundred CFS periods; chosen, not measured.
constexpr std::chrono::seconds kLoadTime{10};
// If a hundredth of the rows left later than both of these (milliseconds, and a share of the median
// latency), the replay could not keep the rate, and the figures tell of it rather than of the
// model.
constexpr double kLeastLagMs = 1;
constexpr double kLagOfLatency = 0.05;
constexpr double kAllOfItsCores = 0.95;  // chosen, not measured
// So many times the requests that p95 takes. Chosen, not measured: the two that are compared then
// scatter by an eighth less than with one.
constexpr std::size_t kLooksOfReference = 2;
// Of the requests that p99 takes: the load may be faster than the rows before it, and what is
// judged beside it judges p99 by its own rate. Chosen, not measured.
constexpr double kSurelyTooFew = 0.8;

// As long as the runs that are judged beside it: a closed loop that has the requests p99 takes, and
// the periods of a quota. A latency that is asked for is judged by itself; where p99 is surely not
// judged a reference has more requests than what is judged beside it. `serial`: requests that were
// sent one at a time.
LoadTime TimeOfLoad(const Workload& workload, Cores cpu, std::span<const RequestRecord> serial,
                    std::chrono::nanoseconds longest) {
  const Objective& objective = workload.objective;
  LoadTime usual{std::min<std::chrono::nanoseconds>(kLoadTime, longest), RequestsToSee(objective),
                 longest};
  if (objective.requests_per_second) {
    usual.time = std::min(TimeOfRate(workload, cpu), usual.time);
    return usual;
  }
  if (serial.empty()) return usual;
  double seconds = 0;
  for (const RequestRecord& request : serial) seconds += request.latency_us / 1e6;
  // More in flight may bring more a second, or nothing.
  const double rate = static_cast<double>(serial.size()) / seconds;
  const std::size_t for_tail = std::max(RequestsForConfidence(0.99), usual.min_requests);
  const double in_time = rate * std::chrono::duration<double>(usual.time).count();
  const auto least =
      std::min<std::chrono::nanoseconds>(kLeastReferenceLoad + kOnePeriod, usual.time);
  if (in_time >= static_cast<double>(for_tail)) return {least, for_tail, longest};
  if (!objective.latency_ms.empty()) return {least, usual.min_requests, longest};
  const std::size_t of_reference = kLooksOfReference * usual.min_requests;
  const bool tail_unjudged =
      objective.ConcurrencyOrOne() == 1 && in_time < kSurelyTooFew * static_cast<double>(for_tail);
  const bool come = in_time >= static_cast<double>(of_reference);
  return tail_unjudged && come ? LoadTime{least, of_reference, longest} : usual;
}

// A model that became faster after the rows by which its load was planned: beside its looks p99
// will be judged, by their own rate. `longest`: of the load with what is sent here.
void GoOnForTail(Lab& lab, Container& container, const ReplayPlan& plan,
                 std::chrono::nanoseconds longest, ReplayResult& replay) {
  const bool ended = replay.target_lost || replay.stopped || replay.cut_off;
  const std::size_t sent = replay.requests.size();
  const std::size_t for_tail = RequestsForConfidence(0.99);
  if (plan.open_loop || plan.max_requests || ended || sent == 0 || sent >= for_tail) return;
  const auto most = std::min<std::chrono::nanoseconds>(kLoadTime, longest);
  const double in_time =
      static_cast<double>(sent) * Seconds(most) / std::max(replay.Seconds(), 1e-9);
  const auto left = most - (replay.ended - replay.began);
  if (in_time < static_cast<double>(for_tail) || left <= std::chrono::nanoseconds(0)) return;
  ReplayPlan rest = plan;
  BeginAt(sent, rest);
  rest.min_requests = 0;
  rest.max_time = rest.hard_max_time = left;
  Append(replay, container.Replay(rest, lab.budget().end()));
}

Reference ReferenceOf(const ReplayPlan& plan, const ReplayResult& replay, const ResourceUse& use) {
  Look look = LookAt(plan, replay);
  SetCost(use, replay, look);
  Reference reference = WithLook({}, std::move(look));
  reference.mean_ms = LatencyDistribution::ByRow(CountedVisits(plan, replay)).MeanMs();
  for (const RequestRecord& request : replay.requests) {
    if (!request.Succeeded()) reference.failing_rows.insert(request.row);
  }
  reference.error_share =
      static_cast<double>(replay.failures) / static_cast<double>(replay.requests.size());
  return reference;
}

// The cores that other work took, on a host that is noisy by it; 0 on a quiet one.
double OtherCores(const NoiseEvidence& noise, bool noisy) {
  return noisy ? noise.foreign_cores + noise.steal_share * noise.host_cores : 0;
}

// A rate that the model does not keep up with even here has no number of requests in flight.
std::optional<int> InFlightAtCeiling(const Objective& objective, const Reference& reference,
                                     const ReplayPlan& plan, const ReplayResult& replay) {
  const auto rate = RateOf(plan, replay, AcceptableMs(reference, objective));
  if (!rate || rate->served < kRateServed * rate->offered) return std::nullopt;
  return InFlightOf(objective, reference.mean_ms.value_or(0));
}

bool HeapWasFull(const ReplayResult& burst) {
  return burst.first_failure && FullHeapWords(burst.first_failure->body);
}

struct Bursts {
  double slowest_ms = 0;  // of the heaviest rows
  bool full_heap = false;
};

// What may coincide one day: the heaviest rows, and of a rate the most requests that meet.
PhaseResult<Bursts> MeasureBursts(Lab& lab, Container& container, const Workload& workload,
                                  std::chrono::nanoseconds longest) {
  const auto time = std::min<std::chrono::nanoseconds>(kLongestBurst, longest);
  const ReplayResult heavy = container.Replay(HeavyPlan(workload, time), lab.budget().end());
  if (auto ended = CheckWhole(lab, container, heavy); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  Bursts bursts{SlowestMs(heavy), HeapWasFull(heavy)};
  if (workload.in_flight > 1) {
    const ReplayResult meeting =
        container.Replay(InFlightPlan(workload, container.seed(), time), lab.budget().end());
    if (auto ended = CheckWhole(lab, container, meeting); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    bursts.full_heap = bursts.full_heap || HeapWasFull(meeting);
  }
  return bursts;
}

}  // namespace

std::optional<double> LateMs(const Trial& trial) {
  const double used = trial.measurements.max_utilized_cpu.value_or(0);
  const bool left_a_core = used < kAllOfItsCores * trial.limits.cpu().value();
  if (!trial.send_lag_p99_ms || !left_a_core) return std::nullopt;
  const double most =
      std::max(kLeastLagMs, kLagOfLatency * trial.measurements.latency_p50_ms.value_or(0));
  if (*trial.send_lag_p99_ms <= most) return std::nullopt;
  return trial.send_lag_p99_ms;
}

int InFlightOf(const Objective& objective, double mean_ms) {
  if (!objective.requests_per_second) return 1;
  return InFlightAtMost(*objective.requests_per_second, objective.arrivals, mean_ms / 1000);
}

PhaseResult<LoadFacts> MeasureLoad(Lab& lab, Container& container, Workload workload,
                                   std::vector<RequestRecord> serial) {
  const Timestamp began = Now();
  const auto watch = container.WatchHost();
  const auto longest = lab.budget().For(Spend::kLoad);
  const ReplayPlan plan = ObjectivePlan(workload, container.seed(),
                                        TimeOfLoad(workload, lab.ceiling().cpu(), serial, longest));
  ReplayResult replay = container.Replay(plan, lab.budget().end());
  if (workload.objective.latency_ms.empty()) GoOnForTail(lab, container, plan, longest, replay);
  const ResourceUse use = Summarize(container.SamplesOf(replay));
  const NoiseEvidence noise = watch.End(use);
  if (auto ended = CheckWhole(lab, container, replay); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  LoadFacts facts;
  MLPROF_LET(failed, CheckRows(container, workload.objective, replay));
  facts.failed = failed;
  const bool noisy = lab.host().Judge(noise).noisy;
  facts.reference = ReferenceOf(plan, replay, use);
  facts.trial = MakeTrial(container, workload, TrialPurpose::kLoad, plan, began, replay);
  facts.trial.passed = true;
  facts.trial.verdict = "the reference without a CPU limit below the ceiling";
  lab.Record(facts.trial);
  facts.late_ms = LateMs(facts.trial);
  facts.began = replay.began;
  facts.ended = replay.ended;
  if (!plan.open_loop && plan.concurrency == 1) {
    serial.insert(serial.end(), replay.requests.begin(), replay.requests.end());
  }

  facts.in_flight = InFlightAtCeiling(workload.objective, facts.reference, plan, replay);
  workload.in_flight = facts.in_flight.value_or(1);
  MLPROF_LET(bursts, MeasureBursts(lab, container, workload, longest));
  facts.slowest_ms = std::max(SlowestMs(replay), bursts.slowest_ms);
  facts.reference.full_heap_in_bursts = bursts.full_heap;
  facts.need = SeeNeed(container, workload, replay, facts.trial, serial, OtherCores(noise, noisy));
  facts.need.noisy = lab.host().noisy();
  return facts;
}

}  // namespace mlprof::server::phases
