// Whether a series rises, and how steeply, by ranks: a few wild values change neither. Pure.
#pragma once

#include <optional>
#include <span>

namespace mlprof::server {

/// One-sided p of a rising trend (Mann-Kendall, normal approximation with corrections for ties and
/// continuity; good from 6 values on). Small: values in this order are hardly chance. 1 where fewer
/// than 3 values, or only equal ones, tell nothing.
double MannKendallRisingP(std::span<const double> values);

struct Point {
  double x = 0;
  double y = 0;
};

struct Line {
  double intercept = 0;
  double slope = 0;
  double At(double x) const { return intercept + slope * x; }
};

/// The median slope of all pairs of points (Theil-Sen) and the median intercept to it. Of many
/// points (above 2,000) a fixed choice of pairs stands for all. nullopt where no two x differ.
std::optional<Line> TheilSen(std::span<const Point> points);

/// The middle value, or the mean of the middle two; 0 of none. Reorders `values`.
double MedianOf(std::span<double> values);

}  // namespace mlprof::server
