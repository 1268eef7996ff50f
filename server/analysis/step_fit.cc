#include "server/analysis/step_fit.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace mlprof::server {
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

// Takes the best line through the points out of any values at the same places.
class LineRemover {
 public:
  explicit LineRemover(std::span<const Point> points) {
    for (const Point& point : points) mean_ += point.x / static_cast<double>(points.size());
    for (const Point& point : points) {
      offsets_.push_back(point.x - mean_);
      spread_ += offsets_.back() * offsets_.back();
    }
  }

  std::vector<double> Remove(std::vector<double> values) const {
    double mean = 0, slope = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      mean += values[i] / static_cast<double>(values.size());
      if (spread_ > 0) slope += values[i] * offsets_[i] / spread_;
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= mean + slope * offsets_[i];
    return values;
  }

 private:
  double mean_ = 0;
  double spread_ = 0;
  std::vector<double> offsets_;
};

double Product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> Heights(std::span<const Point> points) {
  std::vector<double> heights;
  for (const Point& point : points) heights.push_back(point.y);
  return heights;
}

// Taken off first, so that the squares of large values lose no digits.
std::vector<Point> WithoutOffset(std::span<const Point> points) {
  std::vector<Point> shifted(points.begin(), points.end());
  for (Point& point : shifted) point.y -= points.front().y;
  return shifted;
}

double LineResidual(std::span<const Point> points) {
  const std::vector<double> rest = LineRemover(points).Remove(Heights(points));
  return Product(rest, rest);
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

// By Frisch, Waugh and Lovell: once the line is out of both, the height is the slope of what is
// left of the points on what is left of the step.
LineWithStep FitLineWithStep(std::span<const Point> points) {
  if (points.empty()) return {};
  const std::vector<Point> shifted = WithoutOffset(points);
  const LineRemover line(shifted);
  const std::vector<double> rest = line.Remove(Heights(shifted));
  LineWithStep fit;
  fit.residual = Product(rest, rest);
  const double without = fit.residual;
  for (std::size_t first_after = 1; first_after < shifted.size(); ++first_after) {
    std::vector<double> step(shifted.size(), 0.0);
    std::fill(step.begin() + static_cast<std::ptrdiff_t>(first_after), step.end(), 1.0);
    step = line.Remove(std::move(step));
    const double spread = Product(step, step);
    if (spread < 1e-9) continue;
    const double height = Product(rest, step) / spread;
    const double residual = std::max(0.0, without - height * height * spread);
    if (residual < fit.residual) fit = {first_after, height, residual};
  }
  return fit;
}

}  // namespace mlprof::server
