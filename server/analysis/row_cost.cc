#include "server/analysis/row_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

// Too few sizes, or sizes too alike, give a slope of noise. Chosen, not measured; it is told only.
constexpr std::size_t kFewestRows = 10;
constexpr double kSmallestRatio = 1.1;
constexpr double kSmallestDifference = 16;  // bytes

bool EnoughToFit(std::span<const Point> points) {
  if (points.size() < kFewestRows) return false;
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  return most->x >= kSmallestRatio * least->x && most->x - least->x >= kSmallestDifference;
}

// Ranks from 1; equal values share the mean of theirs.
std::vector<double> Ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double shared = static_cast<double>(first + 1 + last) / 2;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = shared;
    first = last;
  }
  return ranks;
}

double RankCorrelation(std::span<const Point> points) {
  std::vector<double> xs, ys;
  for (const Point& point : points) {
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  const std::vector<double> a = Ranks(xs);
  const std::vector<double> b = Ranks(ys);
  const double mean = (static_cast<double>(points.size()) + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

std::optional<PayloadCost> FitPayloadCost(std::span<const RowRecord> rows) {
  std::vector<Point> cpu;
  std::vector<Point> memory;
  for (const RowRecord& row : rows) {
    if (!row.responded()) continue;
    const auto size = static_cast<double>(row.size.count());
    if (row.cpu_ms) cpu.push_back({size, *row.cpu_ms});
    if (row.peak_memory) memory.push_back({size, static_cast<double>(row.peak_memory->count())});
  }
  if (!EnoughToFit(cpu)) return std::nullopt;
  const auto line = TheilSen(cpu);
  if (!line) return std::nullopt;
  PayloadCost cost;
  cost.cpu_base_ms = line->intercept;
  cost.cpu_ms_per_kib = line->slope * 1024;
  cost.correlation = RankCorrelation(cpu);
  if (EnoughToFit(memory)) {
    if (const auto rise = TheilSen(memory)) cost.memory_bytes_per_byte = rise->slope;
  }
  return cost;
}

namespace {

// By so many times the median. Chosen, not measured; it decides what is told, not the answer.
constexpr double kStandsOut = 2;
constexpr std::size_t kMostForOneReason = 5;
// A smaller difference is the clock's and the scheduler's, not the row's.
constexpr double kLeastMs = 0.2;
constexpr double kLeastMemory = 8 * 1024 * 1024;  // half a step of memory

using Value = std::optional<double> (*)(const RowRecord&);

struct Reason {
  const char* name;
  double least_above_median;
  Value value;
};

std::optional<double> Cpu(const RowRecord& row) {
  return row.responded() ? row.cpu_ms : std::nullopt;
}

// A row that ended badly may have used its memory all the same.
std::optional<double> Memory(const RowRecord& row) {
  if (!row.peak_memory) return std::nullopt;
  return static_cast<double>(row.peak_memory->count());
}

std::optional<double> Latency(const RowRecord& row) {
  return row.responded() ? row.latency_ms : std::nullopt;
}

std::optional<double> Size(const RowRecord& row) { return static_cast<double>(row.size.count()); }

constexpr Reason kReasons[] = {{"cpu", kLeastMs, Cpu},
                               {"memory", kLeastMemory, Memory},
                               {"latency", kLeastMs, Latency},
                               {"size", 0, Size}};

std::vector<HeavyRow> HeavyFor(const Reason& reason, std::span<const RowRecord> rows) {
  std::vector<double> values;
  for (const RowRecord& row : rows) {
    if (const auto value = reason.value(row)) values.push_back(*value);
  }
  const double median = MedianOf(values);
  std::vector<HeavyRow> heavy;
  for (const RowRecord& row : rows) {
    const auto value = reason.value(row);
    if (!value || *value <= kStandsOut * median) continue;
    if (*value <= median + reason.least_above_median) continue;
    heavy.push_back({row.row, reason.name, *value, median});
  }
  std::stable_sort(heavy.begin(), heavy.end(),
                   [](const HeavyRow& a, const HeavyRow& b) { return a.value > b.value; });
  if (heavy.size() > kMostForOneReason) heavy.resize(kMostForOneReason);
  return heavy;
}

}  // namespace

std::vector<HeavyRow> NameHeavyRows(std::span<const RowRecord> rows) {
  std::vector<HeavyRow> all;
  for (const Reason& reason : kReasons) {
    const std::vector<HeavyRow> heavy = HeavyFor(reason, rows);
    all.insert(all.end(), heavy.begin(), heavy.end());
  }
  return all;
}

}  // namespace mlprof::server
