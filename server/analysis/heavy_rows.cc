#include "server/analysis/heavy_rows.h"

#include <algorithm>
#include <optional>

#include "server/analysis/trend.h"

namespace mlprof::server {
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
  return row.answered() ? row.cpu_ms : std::nullopt;
}

// A row that ended badly may have used its memory all the same.
std::optional<double> Memory(const RowRecord& row) {
  if (!row.peak_memory) return std::nullopt;
  return static_cast<double>(row.peak_memory->count());
}

std::optional<double> Latency(const RowRecord& row) {
  return row.answered() ? row.latency_ms : std::nullopt;
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
