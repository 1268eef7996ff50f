// What a replica costs, and what its requests cost. Pure.
//
//   per hour              = cores × price of a core-hour + GiB × price of a GiB-hour
//   per million requests  = per hour ÷ (requests per second × 3600) × 10^6
//
// Both are of the limits that are requested, which is what clusters and container services bill,
// and not of what is used. The second is of a replica that is as busy as the objective says; one
// that idles costs the same for fewer requests. Devices have no price.
#pragma once

#include <optional>

#include "common/domain/limits.h"
#include "common/domain/variant_comparison.h"

namespace mlprof::server {

double CostPerHour(const Limits& replica, const Prices& prices);
/// nullopt where nothing is served.
std::optional<double> CostPerMillion(double cost_per_hour,
                                     const std::optional<double>& requests_per_second);

}  // namespace mlprof::server
