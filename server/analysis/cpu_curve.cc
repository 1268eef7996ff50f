#include "server/analysis/cpu_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace mlprof::server {
namespace {

constexpr std::array<double, 8> kParallelisms = {1, 2, 4, 8, 16, 32, 64, 128};
// Squared errors that differ by less are equal: then the smaller parallelism is taken.
constexpr double kEqualErrors = 1e-9;
constexpr double kWorstFit = 0.15;
constexpr double kClearlyFaster = 0.8;

struct Law {
  double serial = 0;
  double work = 0;
  double parallelism = 1;
  double squared_error = std::numeric_limits<double>::infinity();  // relative, summed

  double At(double cores) const { return serial + work / std::min(cores, parallelism); }
};

double SquaredError(const Law& law, std::span<const CpuPoint> points) {
  double sum = 0;
  for (const CpuPoint& point : points) {
    const double relative = law.At(point.cpu.value()) / point.mean_ms - 1;
    sum += relative * relative;
  }
  return sum;
}

// Least squares of serial × (1/L) + work × (1/(mL)) = 1, m the cores of use at a point.
Law FitAt(double parallelism, std::span<const CpuPoint> points) {
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (const CpuPoint& point : points) {
    const double a = 1 / point.mean_ms;
    const double b = a / std::min(point.cpu.value(), parallelism);
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  Law law;
  law.parallelism = parallelism;
  if (determinant > 1e-12 * aa * bb) {
    law.serial = (a1 * bb - b1 * ab) / determinant;
    law.work = (b1 * aa - a1 * ab) / determinant;
  } else {
    law.serial = -1;  // all points at one and the same use: cannot be told apart, taken as work
  }
  if (law.serial < 0) {
    law.serial = 0;
    law.work = b1 / bb;
  } else if (law.work < 0) {
    law.work = 0;
    law.serial = a1 / aa;
  }
  law.squared_error = SquaredError(law, points);
  return law;
}

}  // namespace

CpuCurve FitCpuCurve(std::vector<CpuPoint> points) {
  std::sort(points.begin(), points.end(),
            [](const CpuPoint& a, const CpuPoint& b) { return a.cpu < b.cpu; });
  CpuCurve curve;
  curve.points = std::move(points);
  std::vector<CpuPoint> usable;
  for (const CpuPoint& point : curve.points) {
    if (point.mean_ms > 0 && point.cpu > Cores()) usable.push_back(point);
  }
  if (usable.empty() || usable.front().cpu == usable.back().cpu) return curve;
  Law best;
  for (const double parallelism : kParallelisms) {
    const Law law = FitAt(parallelism, usable);
    if (law.squared_error < best.squared_error - kEqualErrors) best = law;
  }
  curve.serial_ms = best.serial;
  curve.work_ms = best.work;
  curve.parallelism = best.parallelism;
  curve.relative_error = std::sqrt(best.squared_error / static_cast<double>(usable.size()));
  return curve;
}

std::optional<double> MeanMsAt(const CpuCurve& curve, Cores cpu) {
  if (!curve.serial_ms || !curve.work_ms || !curve.parallelism) return std::nullopt;
  if (cpu < curve.points.front().cpu || cpu > curve.points.back().cpu) return std::nullopt;
  return *curve.serial_ms + *curve.work_ms / std::min(cpu.value(), *curve.parallelism);
}

std::optional<Cores> KneeBelow(const CpuCurve& curve, Cores answer, Cores least) {
  if (!curve.serial_ms || !curve.work_ms || !curve.parallelism) return std::nullopt;
  if (curve.relative_error.value_or(1) > kWorstFit || *curve.serial_ms <= 0) return std::nullopt;
  const double pays = std::min(*curve.work_ms / *curve.serial_ms, *curve.parallelism);
  const Cores knee = std::max({kKneeFrom, least, Cores(std::round(10 * pays) / 10)});
  return knee < answer ? std::optional(knee) : std::nullopt;
}

std::optional<CpuPoint> FasterWithFewerCores(const std::vector<CpuPoint>& points) {
  std::optional<CpuPoint> fastest;
  for (const CpuPoint& point : points) {
    if (point.p99_ms && (!fastest || point.mean_ms < fastest->mean_ms)) fastest = point;
  }
  if (!fastest || !points.back().p99_ms) return std::nullopt;
  const bool faster = fastest->mean_ms <= kClearlyFaster * points.back().mean_ms;
  return faster && fastest->cpu < points.back().cpu ? fastest : std::nullopt;
}

}  // namespace mlprof::server
