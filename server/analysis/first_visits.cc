#include "server/analysis/first_visits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

// A first visit is dear where it costs over so many times a later one and so much more: below that
// it may be the scheduler's doing, whose time slices are a few milliseconds. Chosen, not measured.
constexpr double kDearRatio = 2;
constexpr double kDearMs = 5;
constexpr double kSameCost = 1.10;  // as windows of a warm-up may differ
// Single rows are disturbed by other work once in a while. Chosen, not measured.
constexpr std::int64_t kFewestDear = 3;
constexpr double kDearShare = 0.05;

bool CostsMore(double first_ms, double later_ms) {
  return first_ms > kDearRatio * later_ms && first_ms > later_ms + kDearMs;
}

bool HasBoth(const RowRecord& row) {
  return row.responded() && row.first_latency_ms && row.latency_ms;
}

bool IsDear(const RowRecord& row) {
  return CostsMore(*row.first_latency_ms, *row.latency_ms) ||
         (row.first_cpu_ms && row.cpu_ms && CostsMore(*row.first_cpu_ms, *row.cpu_ms));
}

double Percentile95(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(0.95 * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(rank) - 1];
}

double MeanOf(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<ColdRows> SummarizeColdRows(std::span<const RowRecord> rows) {
  std::vector<double> first, later, first_cpu, later_cpu;
  ColdRows cold;
  for (const RowRecord& row : rows) {
    if (!HasBoth(row)) continue;
    // The very first request pays for the process, whichever row it is.
    if (!first.empty() && IsDear(row)) ++cold.dear_rows;
    first.push_back(*row.first_latency_ms);
    later.push_back(*row.latency_ms);
    if (!row.first_cpu_ms || !row.cpu_ms) continue;
    first_cpu.push_back(*row.first_cpu_ms);
    later_cpu.push_back(*row.cpu_ms);
  }
  if (first.empty()) return std::nullopt;
  cold.rows = std::ssize(first);
  cold.average_latency_ms = MeanOf(first);
  cold.p95_latency_ms = Percentile95(first);
  cold.warm_average_latency_ms = MeanOf(later);
  cold.warm_p95_latency_ms = Percentile95(later);
  if (!first_cpu.empty()) {
    cold.cpu_ms_per_row = MeanOf(first_cpu);
    cold.warm_cpu_ms_per_row = MeanOf(later_cpu);
  }
  return cold;
}

bool FirstVisitsAreDear(const ColdRows& cold) {
  return cold.dear_rows >= kFewestDear &&
         static_cast<double>(cold.dear_rows) >= kDearShare * static_cast<double>(cold.rows);
}

bool FirstVisitsCostTheSame(const ColdRows& cold) {
  return cold.average_latency_ms <= kSameCost * cold.warm_average_latency_ms;
}

namespace {

// All chosen, not measured. A server of any kind answers from memory within a few milliseconds;
// what takes longer still works. What is saved must be more than a scheduler's doing, as above: a
// Python server without any cache took 4.3 ms the first time and 1.6 ms from then on beside other
// work, and few datasets have the distinct rows that the answer for a cache takes.
constexpr std::size_t kFewestOfCache = 10;
constexpr double kCacheRatio = 2;
constexpr double kCacheSavesMs = kDearMs;
constexpr double kMostFromCacheMs = 5;

struct FirstAndLater {
  std::vector<VisitCost> first;
  std::vector<VisitCost> second;
  std::map<std::uint32_t, double> shortest_later_ms;
};

FirstAndLater Divide(std::span<const VisitCost> visits) {
  FirstAndLater divided;
  std::map<std::uint32_t, int> seen;
  for (const VisitCost& visit : visits) {
    const int before = seen[visit.row]++;
    if (before == 0) {
      divided.first.push_back(visit);
      continue;
    }
    if (before == 1) divided.second.push_back(visit);
    const auto [at, added] = divided.shortest_later_ms.emplace(visit.row, visit.latency_ms);
    if (!added) at->second = std::min(at->second, visit.latency_ms);
  }
  return divided;
}

// Latencies by the shortest later one of the same row, so that rows of different sizes compare.
double MedianTimesWarm(std::span<const VisitCost> visits, const FirstAndLater& divided) {
  std::vector<double> times;
  for (const VisitCost& visit : visits) {
    const auto warm = divided.shortest_later_ms.find(visit.row);
    if (warm == divided.shortest_later_ms.end() || warm->second <= 0) continue;
    times.push_back(visit.latency_ms / warm->second);
  }
  return MedianOf(times);
}

double MedianLatency(std::span<const VisitCost> visits) {
  std::vector<double> latencies;
  for (const VisitCost& visit : visits) latencies.push_back(visit.latency_ms);
  return MedianOf(latencies);
}

std::optional<double> MedianCpu(std::span<const VisitCost> visits) {
  std::vector<double> cpu;
  for (const VisitCost& visit : visits) {
    if (visit.cpu_ms) cpu.push_back(*visit.cpu_ms);
  }
  if (cpu.empty()) return std::nullopt;
  return MedianOf(cpu);
}

}  // namespace

std::optional<ResponseCache> RecognizeResponseCache(std::span<const VisitCost> visits) {
  const FirstAndLater divided = Divide(visits);
  const std::size_t rows = divided.first.size();
  const std::size_t half = rows / 2;
  if (rows < kFewestOfCache || divided.second.size() < half) return std::nullopt;
  const std::span<const VisitCost> early = std::span(divided.first).first(half);
  const std::span<const VisitCost> late = std::span(divided.first).last(rows - half);
  const std::span<const VisitCost> again = std::span(divided.second).first(half);
  ResponseCache cache;
  cache.rows = std::ssize(late);
  cache.first_latency_ms = MedianLatency(late);
  cache.repeat_latency_ms = MedianLatency(divided.second);
  cache.first_cpu_ms = MedianCpu(late);
  const double saved = cache.first_latency_ms - cache.repeat_latency_ms;
  if (saved <= kCacheSavesMs || cache.repeat_latency_ms > kMostFromCacheMs) return std::nullopt;
  const double of_early = MedianTimesWarm(early, divided);
  double of_late = MedianTimesWarm(late, divided);
  if (of_late <= 0) of_late = of_early;  // the second pass did not come so far
  const double step = of_late / std::max(1.0, MedianTimesWarm(again, divided));
  // A process that becomes warm has become so within the first pass just as well.
  if (step < kCacheRatio * std::max(1.0, of_early / of_late)) return std::nullopt;
  return cache;
}

std::optional<double> CoresOfFirstVisits(const ResponseCache& cache, const Objective& objective) {
  if (!cache.first_cpu_ms || cache.first_latency_ms <= 0) return std::nullopt;
  if (objective.requests_per_second) {
    return *objective.requests_per_second * *cache.first_cpu_ms / 1000;
  }
  return objective.ConcurrencyOrOne() * *cache.first_cpu_ms / cache.first_latency_ms;
}

}  // namespace mlprof::server
