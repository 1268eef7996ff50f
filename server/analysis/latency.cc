#include "server/analysis/latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace mlprof::server {
namespace {

// What sums of shares may be off by: 0.95 × 100 is 95.00000000000001 in binary.
constexpr double kRounding = 1e-9;

}  // namespace

LatencyDistribution::LatencyDistribution(std::vector<std::uint32_t> microseconds)
    : sorted_(std::move(microseconds)) {
  std::sort(sorted_.begin(), sorted_.end());
}

std::unordered_map<std::uint32_t, std::uint32_t> VisitsByRow(std::span<const Visit> visits) {
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  for (const Visit& visit : visits) ++counts[visit.row];
  return counts;
}

LatencyDistribution LatencyDistribution::ByRow(std::span<const Visit> visits) {
  const auto counts = VisitsByRow(visits);
  std::vector<Visit> sorted(visits.begin(), visits.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Visit& a, const Visit& b) { return a.latency_us < b.latency_us; });
  LatencyDistribution all{std::vector<std::uint32_t>()};
  all.rows_ = counts.size();
  all.sorted_.reserve(sorted.size());
  all.shares_.reserve(sorted.size());
  double rows_so_far = 0;
  for (const Visit& visit : sorted) {
    rows_so_far += 1.0 / counts.at(visit.row);
    all.sorted_.push_back(visit.latency_us);
    all.shares_.push_back(rows_so_far / static_cast<double>(counts.size()));
  }
  return all;
}

std::optional<double> LatencyDistribution::QuantileMs(double quantile) const {
  if (sorted_.empty()) return std::nullopt;
  if (rows_ > 0) {
    const auto at = std::lower_bound(shares_.begin(), shares_.end(), quantile - kRounding);
    const auto index = static_cast<std::size_t>(at - shares_.begin());
    return sorted_[std::min(index, sorted_.size() - 1)] / 1000.0;
  }
  const double exact = quantile * static_cast<double>(sorted_.size());
  // Without the allowance p95 of 100 would name the 96th.
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(exact - kRounding)));
  return sorted_[std::min(rank, sorted_.size()) - 1] / 1000.0;
}

std::optional<double> LatencyDistribution::MeanMs() const {
  if (sorted_.empty()) return std::nullopt;
  if (rows_ > 0) {
    double sum_us = 0;
    double before = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      sum_us += sorted_[i] * (shares_[i] - before);
      before = shares_[i];
    }
    return sum_us / 1000;
  }
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

namespace {

constexpr double kDoubt = 0.05;  // 95% confidence

// Of at most `over` of so many requests, each of them above with probability `p`.
double ProbabilityOfAtMost(std::size_t over, std::size_t requests, double p) {
  const auto n = static_cast<double>(requests);
  // The binomial's terms one from the other, in logarithms: the first is tiny for many requests.
  double log_term = n * std::log1p(-p);
  double sum = std::exp(log_term);
  for (std::size_t k = 1; k <= over && k <= requests; ++k) {
    const auto i = static_cast<double>(k);
    log_term += std::log((n - i + 1) / i * p / (1 - p));
    sum += std::exp(log_term);
  }
  return sum;
}

}  // namespace

bool HoldsWithConfidence(std::size_t requests, std::size_t over, double quantile) {
  const double p = 1 - quantile;
  return requests > 0 && p > 0 && ProbabilityOfAtMost(over, requests, p) <= kDoubt;
}

bool MissesWithConfidence(std::size_t requests, std::size_t over, double quantile) {
  const double p = 1 - quantile;
  if (over == 0 || over > requests) return false;
  return p <= 0 || 1 - ProbabilityOfAtMost(over - 1, requests, p) <= kDoubt;
}

}  // namespace mlprof::server
