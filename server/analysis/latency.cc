#include "server/analysis/latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace mlprof::server {

LatencyDistribution::LatencyDistribution(std::vector<std::uint32_t> microseconds)
    : sorted_(std::move(microseconds)) {
  std::sort(sorted_.begin(), sorted_.end());
}

std::optional<double> LatencyDistribution::QuantileMs(double quantile) const {
  if (sorted_.empty()) return std::nullopt;
  const double exact = quantile * static_cast<double>(sorted_.size());
  // 0.95 × 100 is 95.00000000000001 in binary; without the allowance it would name the 96th.
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(exact - 1e-9)));
  return sorted_[std::min(rank, sorted_.size()) - 1] / 1000.0;
}

std::optional<double> LatencyDistribution::MeanMs() const {
  if (sorted_.empty()) return std::nullopt;
  const auto sum = std::accumulate(sorted_.begin(), sorted_.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(sorted_.size()) / 1000.0;
}

void FillLatencies(const LatencyDistribution& latencies, Measurements& measurements) {
  const auto beyond = [&](double quantile) -> std::optional<double> {
    const double requests_beyond = static_cast<double>(latencies.count()) * (1 - quantile);
    if (requests_beyond < 1 - 1e-9) return std::nullopt;
    return latencies.QuantileMs(quantile);
  };
  measurements.average_latency_ms = latencies.MeanMs();
  measurements.latency_p50_ms = latencies.QuantileMs(0.50);
  measurements.latency_p90_ms = beyond(0.90);
  measurements.latency_p95_ms = beyond(0.95);
  measurements.latency_p99_ms = beyond(0.99);
  measurements.latency_p999_ms = beyond(0.999);
}

std::optional<double> QuantileOfKey(std::string_view key) {
  if (key == "p50") return 0.50;
  if (key == "p90") return 0.90;
  if (key == "p95") return 0.95;
  if (key == "p99") return 0.99;
  return std::nullopt;
}

std::size_t RequestsForConfidence(double quantile) {
  return static_cast<std::size_t>(std::ceil(std::log(0.05) / std::log(quantile) - 1e-9));
}

bool HoldsWithConfidence(std::size_t requests, std::size_t over, double quantile) {
  constexpr double kDoubt = 0.05;  // 95% confidence
  const auto n = static_cast<double>(requests);
  const double p = 1 - quantile;
  if (requests == 0 || p <= 0) return false;
  // The binomial's terms one from the other, in logarithms: the first is tiny for many requests.
  double log_term = n * std::log1p(-p);
  double sum = std::exp(log_term);
  for (std::size_t k = 1; k <= over && k <= requests; ++k) {
    const auto i = static_cast<double>(k);
    log_term += std::log((n - i + 1) / i * p / (1 - p));
    sum += std::exp(log_term);
  }
  return sum <= kDoubt;
}

}  // namespace mlprof::server
