// A comparison as it is shown, worked out of its record and its profiles whenever it is asked for:
// what became of each variant, the ranks, the Pareto front and the recommendation. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/variant_comparison.h"

namespace mlprof::server {

/// Costs that differ by no more are not told from one another: so much a repeated measurement of
/// throughput differs by on a quiet host.
inline constexpr double kAlikeCost = 1.05;
/// The same where the host was not quiet while one of the two was measured: the warning comes from
/// measurements that differ by a tenth and more within a run. Chosen, not measured.
inline constexpr double kAlikeCostOnNoisyHost = 1.2;

/// `profiles` are those of the record's ids, in their order; absent where one was deleted.
VariantComparison CompareVariants(const ComparisonRecord& record,
                                  const std::vector<std::optional<Profile>>& profiles);

/// Of those that are proven: no other is as good in the cost of a replica, p95 and throughput and
/// better in one of them (Pareto). A figure that is not known is the worst there is.
void MarkFront(std::vector<VariantResult>& results);

}  // namespace mlprof::server
