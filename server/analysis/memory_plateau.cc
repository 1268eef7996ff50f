#include "server/analysis/memory_plateau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "server/analysis/resource_use.h"
#include "server/analysis/step_fit.h"
#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

// The values of this file were checked on made-up traces, with the result that the header states.
constexpr std::size_t kFewestWindows = 10;
constexpr std::size_t kFewestJudged = 6;  // from so many on the normal approximation is good
// With fewer windows a leak beside a step looks like a second step.
constexpr std::size_t kFewestAroundAStep = 16;
constexpr std::size_t kQuietWindows = 5;
// Shares of all requests that are taken for warm-up and not judged. The longer part shows a faint
// leak better, the shorter one is all that is left of a leak after a long warm-up.
constexpr std::array<double, 2> kWarmUpShares = {0.1, 0.4};
constexpr double kRisingP =
    0.05;  // one false alarm in twenty by rank alone; the others rule it out
// Kernels count memory in batches of pages for each core: readings wander by half of this each way.
constexpr double kCounterNoise = 1024.0 * 1024.0;
constexpr double kClearOfScatter = 4;  // standard deviations of the lows around their line
constexpr double kFlattened = 0.5;     // of the earlier half's slope

std::vector<MemoryWindow> Serving(std::span<const MemoryWindow> windows) {
  std::vector<MemoryWindow> serving;
  for (const MemoryWindow& window : windows) {
    if (window.requests > 0) serving.push_back(window);
  }
  return serving;
}

Point LowOf(const MemoryWindow& window) {
  return {static_cast<double>(window.requests_before) + static_cast<double>(window.requests) / 2,
          static_cast<double>(window.low.count())};
}

std::vector<Point> LowsAfter(double warm_up, std::span<const MemoryWindow> windows) {
  const double first = static_cast<double>(windows.front().requests_before);
  const double last = static_cast<double>(windows.back().requests_before + windows.back().requests);
  const double from = first + warm_up * (last - first);
  std::vector<Point> lows;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Point low = LowOf(windows[i]);
    if (low.x >= from || i + kFewestJudged >= windows.size()) lows.push_back(low);
  }
  return lows;
}

// Standard deviation of what a line through `points` leaves, by its median.
double ScatterAround(const Line& line, std::span<const Point> points) {
  std::vector<double> distances;
  for (const Point& point : points) distances.push_back(std::abs(point.y - line.At(point.x)));
  return MedianOf(distances) / 0.6745;
}

double SlopeOf(std::span<const Point> points) {
  const auto line = TheilSen(points);
  return line ? line->slope : 0;
}

bool RisesByRank(std::span<const Point> lows) {
  std::vector<double> values;
  for (const Point& low : lows) values.push_back(low.y);
  return MannKendallRisingP(values) < kRisingP;
}

// A slope of growth that goes on is about the same in both halves.
bool FlattensOff(std::span<const Point> lows) {
  const std::size_t half = lows.size() / 2;
  const double earlier = SlopeOf(lows.first(lows.size() - half));
  const double later = SlopeOf(lows.last(lows.size() - half));
  return later <= kFlattened * earlier;
}

// Schwarz's criterion without the constant: smaller explains better for its number of parameters.
// Residuals below the counters' noise count as that noise.
double Criterion(double residual, int parameters, double n) {
  const double noise = kCounterNoise / 4;
  return n * std::log(residual / n + noise * noise) + parameters * std::log(n);
}

bool RisesThroughout(std::span<const Point> lows) {
  const StepFit fit = FitSteps(lows);
  const auto n = static_cast<double>(lows.size());
  const double line = Criterion(fit.line, 2, n);
  return line < Criterion(fit.one_step, 3, n) && line < Criterion(fit.two_steps, 5, n);
}

bool RisesAboveNoise(const Line& line, std::span<const Point> lows) {
  const double rise = line.slope * (lows.back().x - lows.front().x);
  return rise > std::max(kCounterNoise, kClearOfScatter * ScatterAround(line, lows));
}

bool Grows(const Line& line, std::span<const Point> lows) {
  return RisesAboveNoise(line, lows) && RisesByRank(lows) && !FlattensOff(lows) &&
         RisesThroughout(lows);
}

// A leak goes on before and after a lasting step, as more requests at a time cause one.
bool GrowsBesideAStep(std::span<const Point> lows) {
  if (lows.size() < kFewestAroundAStep) return false;
  const LineWithStep fit = FitLineWithStep(lows);
  if (fit.height < kCounterNoise) return false;
  const auto n = static_cast<double>(lows.size());
  if (Criterion(fit.residual, 4, n) >= Criterion(FitSteps(lows).two_steps, 5, n)) return false;
  std::vector<Point> levelled(lows.begin(), lows.end());
  for (std::size_t i = fit.first_after; i < levelled.size(); ++i) levelled[i].y -= fit.height;
  const auto line = TheilSen(levelled);
  return line && Grows(*line, levelled);
}

Bytes LowestOf(std::span<const Point> lows) {
  const auto lowest = std::min_element(lows.begin(), lows.end(),
                                       [](const Point& a, const Point& b) { return a.y < b.y; });
  return Bytes(static_cast<std::int64_t>(lowest->y));
}

bool NoNewPeak(std::span<const MemoryWindow> windows) {
  const auto higher = [](const MemoryWindow& a, const MemoryWindow& b) { return a.peak < b.peak; };
  const auto recent = windows.last(kQuietWindows);
  const auto before = windows.first(windows.size() - kQuietWindows);
  const Bytes newest = std::max_element(recent.begin(), recent.end(), higher)->peak;
  const Bytes oldest = std::max_element(before.begin(), before.end(), higher)->peak;
  return newest <= oldest + Bytes(static_cast<std::int64_t>(kCounterNoise));
}

}  // namespace

PlateauVerdict JudgePlateau(std::span<const MemoryWindow> all) {
  const std::vector<MemoryWindow> windows = Serving(all);
  PlateauVerdict verdict;
  if (windows.size() < kFewestWindows) return verdict;
  std::vector<Point> lows;
  for (const double warm_up : kWarmUpShares) {
    lows = LowsAfter(warm_up, windows);
    const Line line = TheilSen(lows).value_or(Line{});
    verdict.bytes_per_request = std::max(0.0, line.slope);
    verdict.level = LowestOf(lows);
    if (!Grows(line, lows) && !GrowsBesideAStep(lows)) continue;
    verdict.trend = MemoryTrend::kGrowing;
    return verdict;
  }
  verdict.trend = MemoryTrend::kFlat;
  verdict.settled = NoNewPeak(windows);
  verdict.steady_confidence = 1 - std::pow(0.95, static_cast<double>(lows.size()));
  return verdict;
}

double HoursToOutOfMemory(double bytes_per_request, double requests_per_second, Bytes headroom) {
  const double bytes_per_hour = bytes_per_request * requests_per_second * 3600;
  if (bytes_per_hour <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, static_cast<double>(headroom.count())) / bytes_per_hour;
}

namespace {

std::optional<MemoryWindow> MakeWindow(std::span<const Sample> samples,
                                       std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
  const auto inside = Between(samples, from, to);
  if (inside.empty()) return std::nullopt;
  MemoryWindow window;
  window.low = inside.front().unreclaimable;
  window.time = to - from;
  for (const Sample& sample : inside) {
    window.low = std::min(window.low, sample.unreclaimable);
    window.peak =
        std::max({window.peak, sample.unreclaimable, sample.peak_unreclaimable.value_or(Bytes())});
  }
  return window;
}

// Answered by the end of `part` of so many even ones, the last of which holds all.
std::int64_t AnsweredBy(const RequestStretch& stretch, std::int64_t part, std::int64_t parts) {
  if (stretch.answered.empty() || part == parts) return stretch.requests * part / parts;
  const auto edge = stretch.began + (stretch.ended - stretch.began) / parts * part;
  return std::distance(stretch.answered.begin(),
                       std::lower_bound(stretch.answered.begin(), stretch.answered.end(), edge));
}

}  // namespace

std::int64_t RequestsOf(std::span<const RequestStretch> stretches) {
  std::int64_t requests = 0;
  for (const RequestStretch& stretch : stretches) requests += stretch.requests;
  return requests;
}

std::vector<MemoryWindow> MakeMemoryWindows(std::span<const Sample> samples,
                                            std::span<const RequestStretch> stretches,
                                            std::chrono::nanoseconds length) {
  std::vector<MemoryWindow> windows;
  std::int64_t before = 0;
  for (const RequestStretch& stretch : stretches) {
    const std::int64_t parts = std::max<std::int64_t>(1, (stretch.ended - stretch.began) / length);
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto edge = [&](std::int64_t i) {
        return stretch.began + (stretch.ended - stretch.began) / parts * i;
      };
      auto window = MakeWindow(samples, edge(part), edge(part + 1));
      if (!window) continue;
      const std::int64_t earlier = AnsweredBy(stretch, part, parts);
      window->requests_before = before + earlier;
      window->requests = AnsweredBy(stretch, part + 1, parts) - earlier;
      windows.push_back(*window);
    }
    before += stretch.requests;
  }
  return windows;
}

}  // namespace mlprof::server
