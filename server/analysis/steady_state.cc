#include "server/analysis/steady_state.h"

#include <algorithm>

namespace mlprof::server {
namespace {

// Triton's Perf Analyzer calls a measurement stable by the same rule.
constexpr double kTolerance = 1.10;
constexpr double kResolvableCpuMs = 0.05;

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

}  // namespace mlprof::server
