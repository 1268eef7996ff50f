// How far a mean or a percentile of a run could be off, where neighbours are alike. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace mlprof {

/// In the unit of the values.
struct Interval {
  double low = 0;
  double high = 0;
  double HalfWidth() const { return (high - low) / 2; }
};

struct BootstrapPlan {
  /// Values in a row that are drawn together: as many as are alike, such as one pass of the rows.
  /// At least 1; at most a quarter of the values is used, for blocks must differ.
  std::size_t block = 1;
  std::uint64_t seed = 1;
  int resamples = 1000;
};

/// 95% interval by moving-block bootstrap (Künsch): the 2.5th and 97.5th percentile of the
/// statistic over resamples made of blocks drawn at random, with their overlaps. nullopt under 8
/// values. About resamples × values / block steps for the mean (whose blocks are summed once),
/// resamples × values for the percentile.
std::optional<Interval> BootstrapMean(std::span<const double> values, const BootstrapPlan& plan);
/// `quantile` from 0 to 1, nearest rank as LatencyDistribution has it.
std::optional<Interval> BootstrapQuantile(std::span<const double> values, double quantile,
                                          const BootstrapPlan& plan);

}  // namespace mlprof
