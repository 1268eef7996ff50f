#include "server/analysis/steady_state.h"

#include <algorithm>
#include <cmath>

namespace mlprof::server {
namespace {

// Triton's Perf Analyzer calls a measurement stable by the same rule.
constexpr double kTolerance = 1.10;
constexpr double kResolvableCpuMs = 0.05;
// Chosen, not measured: a model that gains less in three windows has little left to gain.
constexpr double kGain = 0.95;
constexpr double kLongestWindowSeconds = 1.6;  // chosen, not measured

using OfTwo = const double& (*)(const double&, const double&);

// In each figure by itself.
WarmUpWindow Extreme(std::span<const WarmUpWindow> windows, OfTwo of_two) {
  WarmUpWindow extreme = windows.front();
  for (const WarmUpWindow& window : windows) {
    extreme.p50_ms = of_two(extreme.p50_ms, window.p50_ms);
    extreme.cpu_ms_per_request = of_two(extreme.cpu_ms_per_request, window.cpu_ms_per_request);
  }
  return extreme;
}

WarmUpWindow BestOf(std::span<const WarmUpWindow> windows) {
  return Extreme(windows, std::min<double>);
}

WarmUpWindow WorstOf(std::span<const WarmUpWindow> windows) {
  return Extreme(windows, std::max<double>);
}

WarmUpWindow MeanOf(std::span<const WarmUpWindow> windows) {
  const auto count = static_cast<double>(windows.size());
  WarmUpWindow mean;
  for (const WarmUpWindow& window : windows) {
    mean.p50_ms += window.p50_ms / count;
    mean.cpu_ms_per_request += window.cpu_ms_per_request / count;
  }
  return mean;
}

}  // namespace

bool IsSteady(std::span<const WarmUpWindow> windows) {
  if (windows.size() < kWindowsThatAgree) return false;
  const auto last = windows.last(kWindowsThatAgree);
  const auto [p50_min, p50_max] = std::minmax_element(
      last.begin(), last.end(), [](auto& a, auto& b) { return a.p50_ms < b.p50_ms; });
  const auto [cpu_min, cpu_max] = std::minmax_element(
      last.begin(), last.end(),
      [](auto& a, auto& b) { return a.cpu_ms_per_request < b.cpu_ms_per_request; });
  const bool latency_agrees = p50_max->p50_ms <= kTolerance * p50_min->p50_ms;
  const bool cpu_agrees = cpu_max->cpu_ms_per_request < kResolvableCpuMs ||
                          cpu_max->cpu_ms_per_request <= kTolerance * cpu_min->cpu_ms_per_request;
  return latency_agrees && cpu_agrees;
}

bool IsNoFasterAnyMore(std::span<const WarmUpWindow> windows) {
  if (windows.size() < 2 * kWindowsThatAgree) return false;
  const auto seen = windows.last(2 * kWindowsThatAgree);
  const WarmUpWindow before = BestOf(seen.first(kWindowsThatAgree));
  const WarmUpWindow now = BestOf(seen.last(kWindowsThatAgree));
  const bool cpu = before.cpu_ms_per_request < kResolvableCpuMs ||
                   now.cpu_ms_per_request >= kGain * before.cpu_ms_per_request;
  return cpu && now.p50_ms >= kGain * before.p50_ms;
}

bool IsNotBecomingFaster(std::span<const WarmUpWindow> windows) {
  if (windows.size() < kWindowsThatAgree) return false;
  return IsAsWarm(MeanOf(windows.first(windows.size() - 1)), windows.back()) &&
         IsAsWarm(windows.front(), MeanOf(windows.subspan(1)));
}

bool IsNoFasterInTheEnd(std::span<const WarmUpWindow> windows) {
  const std::size_t half = windows.size() / 2;
  return half > 0 && IsAsWarm(BestOf(windows.first(half)), BestOf(windows.subspan(half))) &&
         IsAsWarm(windows.front(), WorstOf(windows.subspan(1)));
}

bool IsAsWarm(const WarmUpWindow& window, const WarmUpWindow& warm) {
  const bool cpu = window.cpu_ms_per_request < kResolvableCpuMs ||
                   window.cpu_ms_per_request <= kTolerance * warm.cpu_ms_per_request;
  return cpu && window.p50_ms <= kTolerance * warm.p50_ms;
}

std::optional<std::size_t> WholePasses(std::size_t rows, std::size_t least,
                                       double requests_per_second) {
  if (rows == 0) return std::nullopt;
  const auto of_a_second = static_cast<std::size_t>(
      std::lround(std::max(0.0, requests_per_second) / static_cast<double>(rows)));
  const std::size_t passes = std::max((least + rows - 1) / rows, of_a_second);
  const std::size_t requests = std::max<std::size_t>(1, passes) * rows;
  if (static_cast<double>(requests) > kLongestWindowSeconds * requests_per_second) {
    return std::nullopt;
  }
  return requests;
}

}  // namespace mlprof::server
