// Figures by the core made figures of chips: what a container is given are chips. Pure.
#pragma once

#include <vector>

#include "common/result/result.h"
#include "server/devices/tpu/metric_messages.h"

namespace mlprof::server::tpu {

/// One value for each of `chips`, in their order: the sum of those of its cores.
/// kInvalidArgument where the values do not share out among so many.
Result<std::vector<double>> SumByChip(const std::vector<MetricValue>& values, std::size_t chips);

/// Likewise their mean, for what is told by the chip or by the core.
Result<std::vector<double>> MeanByChip(const std::vector<MetricValue>& values, std::size_t chips);

}  // namespace mlprof::server::tpu
