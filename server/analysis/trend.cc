#include "server/analysis/trend.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace mlprof::server {
namespace {

// All pairs of 2,000 points are two million. Of more points a fixed million of pairs stands for
// all. Chosen, not measured.
constexpr std::size_t kMostPointsInFull = 2000;
constexpr std::size_t kPairsOfMany = 1'000'000;

int Sign(double value) { return (value > 0) - (value < 0); }

// What groups of equal values take from the variance: the sum of t(t-1)(2t+5).
double TiesTerm(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  double term = 0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::upper_bound(first, sorted.end(), *first);
    const auto t = static_cast<double>(last - first);
    term += t * (t - 1) * (2 * t + 5);
    first = last;
  }
  return term;
}

void AddSlope(const Point& a, const Point& b, std::vector<double>& slopes) {
  if (a.x != b.x) slopes.push_back((b.y - a.y) / (b.x - a.x));
}

std::vector<double> Slopes(std::span<const Point> points) {
  std::vector<double> slopes;
  const std::size_t n = points.size();
  if (n <= kMostPointsInFull) {
    slopes.reserve(n * (n - std::min<std::size_t>(n, 1)) / 2);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) AddSlope(points[i], points[j], slopes);
    }
    return slopes;
  }
  std::mt19937_64 random(n);
  slopes.reserve(kPairsOfMany);
  for (std::size_t pair = 0; pair < kPairsOfMany; ++pair) {
    AddSlope(points[random() % n], points[random() % n], slopes);
  }
  return slopes;
}

}  // namespace

double MedianOf(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double MannKendallRisingP(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  if (n < 3) return 1;
  double s = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) s += Sign(values[j] - values[i]);
  }
  const double variance = (n * (n - 1) * (2 * n + 5) - TiesTerm(values)) / 18;
  if (variance <= 0) return 1;
  const double z = (s - Sign(s)) / std::sqrt(variance);
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

std::optional<Line> TheilSen(std::span<const Point> points) {
  std::vector<double> slopes = Slopes(points);
  if (slopes.empty()) return std::nullopt;
  Line line;
  line.slope = MedianOf(slopes);
  std::vector<double> intercepts;
  intercepts.reserve(points.size());
  for (const Point& point : points) intercepts.push_back(point.y - line.slope * point.x);
  line.intercept = MedianOf(intercepts);
  return line;
}

}  // namespace mlprof::server
