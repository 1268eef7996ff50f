#include "server/analysis/step_fit.h"

#include <algorithm>
#include <vector>

namespace mlprof {
namespace {

// Squared residuals of any stretch against its own mean, from running sums.
class Stretches {
 public:
  explicit Stretches(std::span<const Point> points) : sums_(1, 0), squares_(1, 0) {
    for (const Point& point : points) {
      sums_.push_back(sums_.back() + point.y);
      squares_.push_back(squares_.back() + point.y * point.y);
    }
  }

  double Residual(std::size_t first, std::size_t last) const {  // [first, last)
    if (last <= first) return 0;
    const double sum = sums_[last] - sums_[first];
    const double mean_square = sum * sum / static_cast<double>(last - first);
    return std::max(0.0, squares_[last] - squares_[first] - mean_square);
  }

 private:
  std::vector<double> sums_;
  std::vector<double> squares_;
};

double LineResidual(std::span<const Point> points) {
  double mean_x = 0, mean_y = 0;
  for (const Point& point : points) {
    mean_x += point.x;
    mean_y += point.y;
  }
  mean_x /= static_cast<double>(points.size());
  mean_y /= static_cast<double>(points.size());
  double xx = 0, xy = 0, yy = 0;
  for (const Point& point : points) {
    xx += (point.x - mean_x) * (point.x - mean_x);
    xy += (point.x - mean_x) * (point.y - mean_y);
    yy += (point.y - mean_y) * (point.y - mean_y);
  }
  return xx > 0 ? std::max(0.0, yy - xy * xy / xx) : yy;
}

// Taken off first, so that the squares of large values lose no digits.
std::vector<Point> WithoutOffset(std::span<const Point> points) {
  std::vector<Point> shifted(points.begin(), points.end());
  for (Point& point : shifted) point.y -= points.front().y;
  return shifted;
}

}  // namespace

StepFit FitSteps(std::span<const Point> points) {
  if (points.empty()) return {};
  const std::vector<Point> shifted = WithoutOffset(points);
  const Stretches stretches(shifted);
  const std::size_t n = shifted.size();
  StepFit fit;
  fit.line = LineResidual(shifted);
  fit.one_step = fit.two_steps = stretches.Residual(0, n);
  for (std::size_t a = 1; a < n; ++a) {
    const double before = stretches.Residual(0, a);
    fit.one_step = std::min(fit.one_step, before + stretches.Residual(a, n));
    for (std::size_t b = a; b < n; ++b) {
      fit.two_steps =
          std::min(fit.two_steps, before + stretches.Residual(a, b) + stretches.Residual(b, n));
    }
  }
  return fit;
}

}  // namespace mlprof
