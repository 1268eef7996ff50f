#include "server/analysis/variants/cost.h"

namespace mlprof::server {

double CostPerHour(const Limits& replica, const Prices& prices) {
  return replica.cpu().value() * prices.core_hour + replica.memory().gib() * prices.gib_hour;
}

std::optional<double> CostPerMillion(double cost_per_hour,
                                     const std::optional<double>& requests_per_second) {
  constexpr double kSecondsPerHour = 3600;
  if (!requests_per_second || *requests_per_second <= 0) return std::nullopt;
  return cost_per_hour / (*requests_per_second * kSecondsPerHour) * 1e6;
}

}  // namespace mlprof::server
