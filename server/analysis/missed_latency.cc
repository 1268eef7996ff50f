#include "server/analysis/missed_latency.h"

#include <algorithm>

#include "server/analysis/row_order.h"

namespace mlprof::server {
namespace {

constexpr double kBeyond = 2;

}  // namespace

bool HasMissedLatency(std::span<const Visit> visits, std::size_t requests,
                      const Objective& objective) {
  if (visits.size() < kBlockRows) return false;
  const auto all = static_cast<double>(std::max(requests, visits.size()));
  for (const auto& [key, limit_ms] : objective.latency_ms) {
    const double limit_us = limit_ms * 1000;
    const auto over = std::ranges::count_if(
        visits, [limit_us](const Visit& visit) { return visit.latency_us > limit_us; });
    const double beyond = 1 - QuantileOfKey(key).value_or(0);
    if (static_cast<double>(over) > kBeyond * beyond * all) return true;
  }
  return false;
}

}  // namespace mlprof::server
