// Exact latency statistics. Percentiles are true order statistics (nearest rank), never merged from
// others; where it is known which row a latency is of, each row counts equally. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/domain/measurements.h"

namespace mlprof::server {

/// A request that succeeded.
struct Visit {
  std::uint32_t row = 0;
  std::uint32_t latency_us = 0;
  bool throttled = false;  // the quota stopped the container while it was in flight
};

/// Latencies in microseconds, sorted once, asked many times.
class LatencyDistribution {
 public:
  explicit LatencyDistribution(std::vector<std::uint32_t> microseconds);
  /// Each row that was visited counts equally, however often it was: a load that ends within a pass
  /// over the rows gives those of the pass's beginning no more weight.
  static LatencyDistribution ByRow(std::span<const Visit> visits);

  std::size_t count() const { return sorted_.size(); }
  /// Different ones; 0 where that is not known.
  std::size_t rows() const { return rows_; }
  /// The smallest latency that at least the share `quantile` (0 to 1) of all does not exceed, in
  /// milliseconds; nullopt when there are none.
  std::optional<double> QuantileMs(double quantile) const;
  std::optional<double> MeanMs() const;

 private:
  std::vector<std::uint32_t> sorted_;
  std::vector<double> shares_;  // by row: of all that are no longer than this one
  std::size_t rows_ = 0;
};

/// How many visits there were of each row.
std::unordered_map<std::uint32_t, std::uint32_t> VisitsByRow(std::span<const Visit> visits);

/// Fills the latency fields of `measurements`. A percentile that fewer than one request lies beyond
/// (p99.9 of 100 requests) stays absent: it would only repeat the maximum.
void FillLatencies(const LatencyDistribution& latencies, Measurements& measurements);

/// "p50" → 0.50 … "p99" → 0.99; nullopt for anything else.
std::optional<double> QuantileOfKey(std::string_view key);

/// Requests to see, none of them over the limit, before the percentile holds with 95% confidence:
/// ceil(ln 0.05 / ln quantile) (binomial; algorithm note P9).
std::size_t RequestsForConfidence(double quantile);

/// Whether `requests`, `over` of them above a limit, show at 95% confidence that the limit holds at
/// `quantile`: at most 5% probability of so few above it if it did not (binomial; algorithm note
/// P9).
bool HoldsWithConfidence(std::size_t requests, std::size_t over, double quantile);

/// Likewise, that the limit does not hold: at most 5% probability of so many above it if it did.
bool MissesWithConfidence(std::size_t requests, std::size_t over, double quantile);

}  // namespace mlprof::server
