#include "server/analysis/row_mix.h"

#include <vector>

#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

// A window holds 50 rows or more: what a few of them would change is less than windows may differ.
constexpr double kKnownEnough = 0.9;

double MeanOf(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

RowMix::RowMix(std::span<const Visit> usual) {
  std::unordered_map<std::uint32_t, std::vector<double>> by_row;
  for (const Visit& visit : usual) by_row[visit.row].push_back(visit.latency_us / 1000.0);
  std::vector<double> rows;
  for (auto& [row, times] : by_row) rows.push_back(usual_ms_[row] = MedianOf(times));
  if (rows.empty()) return;
  mean_ms_ = MeanOf(rows);
  median_ms_ = MedianOf(rows);
}

std::optional<WarmUpWindow> RowMix::WithAllRows(const WarmUpWindow& window,
                                                std::span<const Visit> visits) const {
  std::vector<double> times_usual;
  std::vector<double> usual;
  for (const Visit& visit : visits) {
    const auto known = usual_ms_.find(visit.row);
    if (known == usual_ms_.end() || known->second <= 0) continue;
    times_usual.push_back(visit.latency_us / 1000.0 / known->second);
    usual.push_back(known->second);
  }
  const auto known_enough = kKnownEnough * static_cast<double>(visits.size());
  if (usual.empty() || static_cast<double>(usual.size()) < known_enough) return std::nullopt;
  return WarmUpWindow{median_ms_ * MedianOf(times_usual),
                      window.cpu_ms_per_request * mean_ms_ / MeanOf(usual)};
}

}  // namespace mlprof::server
