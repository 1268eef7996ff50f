#include "server/profiling/phases/reference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/time/seconds.h"
#include "server/analysis/heap.h"
#include "server/analysis/latency.h"
#include "server/analysis/seeded_random.h"
#include "server/analysis/stopped_time.h"

namespace mlprof::server::phases {
namespace {

// Odd, so that the median is a look. The oldest go: what matters is the host of now. Chosen, not
// measured.
constexpr std::size_t kMostLooks = 5;
// Of a look: a thousand lie beyond its p99. Chosen, not measured.
constexpr std::size_t kMostVisits = 100'000;

// One in each stretch of equal length, at random: every second one might be the same rows again and
// again.
std::vector<RequestRecord> EvenPart(const std::vector<RequestRecord>& requests) {
  SeededRandom random(requests.size());
  std::vector<RequestRecord> part;
  part.reserve(kMostVisits);
  for (std::size_t i = 0; i < kMostVisits; ++i) {
    const std::size_t from = i * requests.size() / kMostVisits;
    const std::size_t to = (i + 1) * requests.size() / kMostVisits;
    part.push_back(requests[from + random.Index(to - from)]);
  }
  return part;
}

double MeanLatencyMs(const std::vector<RequestRecord>& requests) {
  double sum_us = 0;
  for (const RequestRecord& request : requests) sum_us += request.latency_us;
  return requests.empty() ? 0 : sum_us / static_cast<double>(requests.size()) / 1000;
}

std::vector<Visit> MarkedVisits(const std::vector<RequestRecord>& requests,
                                const StoppedTime& stopped) {
  std::vector<Visit> visits;
  visits.reserve(requests.size());
  for (const RequestRecord& request : requests) {
    if (!request.Succeeded()) continue;
    const auto ended = request.due + std::chrono::microseconds(request.latency_us);
    visits.push_back({request.row, request.latency_us,
                      stopped.Within(request.due, ended) > std::chrono::nanoseconds(0)});
  }
  return visits;
}

std::optional<double> Median(std::vector<double> all) {
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end());
  return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
}

std::optional<double> MedianOfLooks(const std::vector<Look>& looks, double quantile) {
  std::vector<double> all;
  for (const Look& look : looks) {
    if (const auto ms = LatencyDistribution::ByRow(look.visits).QuantileMs(quantile)) {
      all.push_back(*ms);
    }
  }
  return Median(std::move(all));
}

}  // namespace

Look LookAt(const ReplayPlan& plan, const ReplayResult& replay, std::span<const Sample> samples) {
  const std::vector<RequestRecord> counted = InWholeBlocks(plan, replay.requests);
  const bool few = counted.size() <= kMostVisits;
  Look look;
  look.visits = MarkedVisits(few ? counted : EvenPart(counted), StoppedTime(samples));
  const auto successes = static_cast<double>(std::ssize(replay.requests) - replay.failures);
  const double all_ms = MeanLatencyMs(replay.requests);
  const double counted_ms = MeanLatencyMs(counted);
  if (replay.Seconds() <= 0) return look;
  look.requests_per_second = successes / replay.Seconds();
  // Had those alone come that count: in a closed loop the rate goes with one by the mean latency.
  if (counted_ms > 0) look.requests_per_second *= all_ms / counted_ms;
  return look;
}

ReplayResult WithoutStops(ReplayResult replay, std::span<const Sample> samples) {
  const StoppedTime stopped(samples);
  for (RequestRecord& request : replay.requests) {
    const std::chrono::microseconds took(request.latency_us);
    const auto held_up = std::chrono::duration_cast<std::chrono::microseconds>(
        stopped.Within(request.due, request.due + took));
    request.latency_us = static_cast<std::uint32_t>((took - held_up).count());
  }
  replay.ended -= stopped.Within(replay.began, replay.ended);
  return replay;
}

void SetCost(const ResourceUse& use, const ReplayResult& replay, Look& look) {
  const auto successes = std::ssize(replay.requests) - replay.failures;
  if (!use.cpu_seconds || successes <= 0 || replay.failures > 0) return;
  look.cpu_seconds_per_query = *use.cpu_seconds / static_cast<double>(successes);
}

Reference WithLook(Reference reference, Look look) {
  const bool enough = look.visits.size() >= RequestsForConfidence(0.95);
  if (!enough && !reference.looks.empty()) return reference;
  reference.looks.push_back(std::move(look));
  if (reference.looks.size() > kMostLooks) reference.looks.erase(reference.looks.begin());
  reference.p95_ms = MedianOfLooks(reference.looks, 0.95);
  return reference;
}

Reference OnlyWith(const Reference& reference, const Look& look) {
  Reference alone = reference;
  alone.looks.clear();
  return WithLook(std::move(alone), look);
}

Reference FreshOf(const Reference& reference) {
  Reference fresh = reference;
  fresh.looks = reference.fresh_looks;
  fresh.p95_ms = MedianOfLooks(fresh.looks, 0.95);
  return fresh;
}

Reference WithFreshLook(Reference reference, Look look) {
  reference.fresh_looks = WithLook(FreshOf(reference), std::move(look)).looks;
  return reference;
}

Reference OnlyWithFresh(Reference reference, const Look& look) {
  reference.fresh_looks.clear();
  return WithFreshLook(std::move(reference), look);
}

Reference OnHostOfCost(Reference reference, double cost) {
  const auto scale = [&](std::vector<Look>& looks) {
    for (Look& look : looks) {
      for (Visit& visit : look.visits) {
        visit.latency_us = static_cast<std::uint32_t>(std::lround(visit.latency_us * cost));
      }
      look.requests_per_second /= cost;
      if (look.cpu_seconds_per_query) *look.cpu_seconds_per_query *= cost;
    }
  };
  scale(reference.looks);
  scale(reference.fresh_looks);
  if (reference.p95_ms) *reference.p95_ms *= cost;
  if (reference.mean_ms) *reference.mean_ms *= cost;
  return reference;
}

void SetBeside(const Reference& reference, const ReplayPlan& plan, const Look& run,
               VerificationEvidence& evidence) {
  evidence.reference_p95_ms = reference.p95_ms;
  if (reference.looks.empty()) return;
  const BesideReference beside = Compare(run, reference.looks);
  evidence.p95_ms = beside.p95_ms;
  evidence.reference_p95_ms = beside.reference_p95_ms;
  evidence.at_edge = beside.at_edge;
  evidence.tail = beside.tail;
  // A rate is what was asked for, not what the model could do.
  evidence.rate = plan.open_loop ? std::nullopt : beside.rate;
  evidence.reference_rate = plan.open_loop ? std::nullopt : beside.reference_rate;
}

bool IsObjectivesLoad(const Objective& objective, int concurrency) {
  return !objective.requests_per_second && concurrency == objective.ConcurrencyOrOne();
}

double RequestsWithin(const Reference& reference, std::chrono::nanoseconds time) {
  return reference.looks.empty() ? 0 : reference.looks.back().requests_per_second * Seconds(time);
}

std::optional<double> UsualCost(const Reference& reference) {
  std::vector<double> costs;
  for (const Look& look : reference.looks) {
    if (look.cpu_seconds_per_query) costs.push_back(*look.cpu_seconds_per_query);
  }
  return Median(std::move(costs));
}

std::optional<WarmUpWindow> WarmWindow(const Reference& reference) {
  const auto p50 = MedianOfLooks(reference.looks, 0.5);
  const auto cost = UsualCost(reference);
  if (!p50 || !cost) return std::nullopt;
  return WarmUpWindow{*p50, 1000 * *cost};
}

std::int64_t NewFailures(const Reference& reference, const ReplayResult& replay) {
  const auto& known = reference.failing_rows;
  return std::count_if(replay.requests.begin(), replay.requests.end(),
                       [&](const RequestRecord& request) {
                         return !request.Succeeded() && !known.contains(request.row);
                       });
}

double AcceptableMs(const Reference& reference, const Objective& objective) {
  double acceptable = reference.p95_ms.value_or(0);
  for (const auto& [key, limit_ms] : objective.latency_ms) {
    acceptable = std::max(acceptable, limit_ms);
  }
  return acceptable;
}

void SetHeap(const UseAtCeiling& at_ceiling, const ReplayResult& replay,
             const SeenOfContainer& seen, VerificationEvidence& evidence) {
  auto words = replay.first_failure ? FullHeapWords(replay.first_failure->body) : std::nullopt;
  const bool confirmed =
      !evidence.became_ready || evidence.died || evidence.new_failures >= kFewestNewFailures;
  if (!words && confirmed) words = FullHeapWords(seen.log);
  evidence.full_heap = words.value_or("");
  const auto successes = std::ssize(replay.requests) - replay.failures;
  if (!seen.serving.cpu_seconds || successes <= 0) return;
  const double there = at_ceiling.cpu_seconds_per_query.value_or(0);
  if (there <= 0) return;
  evidence.cost_of_ceiling = *seen.serving.cpu_seconds / static_cast<double>(successes) / there;
  const auto used = seen.whole_life.peak_unreclaimable;
  if (used && TakesLess(at_ceiling.memory, *used)) {
    evidence.collecting_cost = evidence.cost_of_ceiling;
  }
}

}  // namespace mlprof::server::phases
