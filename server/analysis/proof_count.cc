#include "server/analysis/proof_count.h"

#include <cmath>

#include "server/analysis/latency.h"
#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

constexpr double kPeriodSeconds = 0.1;  // of the kernel's bandwidth control, as containers have it

}  // namespace

std::optional<std::string> LacksForProof(const Objective& objective, std::size_t successes,
                                         double serving_seconds) {
  if (!objective.latency_ms.empty()) return std::nullopt;
  const std::size_t needed = RequestsForConfidence(0.95);
  // A load of 30 periods may end within the last of them.
  const auto periods = std::lround(serving_seconds / kPeriodSeconds);
  if (successes >= needed && periods >= kQuotaPeriods) return std::nullopt;
  return Sentence(
      "a container served %zu requests in %.1f s where p95 takes %zu requests and %d periods of "
      "the quota (%.0f s)",
      successes, serving_seconds, needed, kQuotaPeriods, kQuotaPeriods * kPeriodSeconds);
}

std::optional<std::string> UnprovenTail(const Objective& objective, std::size_t fewest) {
  const std::size_t needed = RequestsForConfidence(0.99);
  if (!objective.latency_ms.empty() || fewest >= needed) return std::nullopt;
  return Sentence("p99 is unproven: it takes %zu requests in each container, and %zu were served",
                  needed, fewest);
}

}  // namespace mlprof::server
