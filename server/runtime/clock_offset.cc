#include "server/runtime/clock_offset.h"

#include <algorithm>

namespace mlprof::server {
namespace {

std::chrono::nanoseconds RoundTrip(const ClockExchange& exchange) {
  return exchange.responded - exchange.asked;
}

}  // namespace

ClockOffset EstimateClockOffset(std::span<const ClockExchange> exchanges) {
  if (exchanges.empty()) return {};
  const ClockExchange& best =
      *std::min_element(exchanges.begin(), exchanges.end(),
                        [](const auto& a, const auto& b) { return RoundTrip(a) < RoundTrip(b); });
  const auto error = (RoundTrip(best) + std::chrono::nanoseconds(1)) / 2;
  const auto ahead = best.read - (best.asked + RoundTrip(best) / 2);
  if (std::chrono::abs(ahead) <= error) return {std::chrono::nanoseconds(0), error};
  return {ahead, error};
}

}  // namespace mlprof::server
