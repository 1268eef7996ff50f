#include "server/analysis/cpu_for_latency.h"

#include <algorithm>
#include <string>

namespace mlprof::server {
namespace {

std::optional<double> LatencyMs(const Measurements& load, const std::string& key) {
  if (key == "p50") return load.latency_p50_ms;
  if (key == "p90") return load.latency_p90_ms;
  if (key == "p95") return load.latency_p95_ms;
  if (key == "p99") return load.latency_p99_ms;
  return std::nullopt;
}

}  // namespace

std::optional<Cores> CpuForLatency(const Objective& objective, double cores_used,
                                   const Measurements& load) {
  if (objective.latency_ms.empty() || cores_used <= 0) return std::nullopt;
  const double waiting = std::max(0.0, 1 - cores_used);
  double most = 0;
  for (const auto& [key, allowed_ms] : objective.latency_ms) {
    const auto measured_ms = LatencyMs(load, key);
    if (!measured_ms) return std::nullopt;
    const double to_compute_ms = allowed_ms - waiting * *measured_ms;
    if (to_compute_ms <= 0) return std::nullopt;
    most = std::max(most, cores_used * *measured_ms / to_compute_ms);
  }
  return Cores(most);
}

}  // namespace mlprof::server
