#include "server/devices/tpu/chip_figures.h"

namespace mlprof::server::tpu {

Result<std::vector<double>> SumByChip(const std::vector<MetricValue>& values, std::size_t chips) {
  if (values.empty() || chips == 0 || values.size() % chips != 0) {
    return Fail(InvalidArgument("it tells of " + std::to_string(values.size()) +
                                " devices, which do not share out among " + std::to_string(chips) +
                                " chips"));
  }
  const std::size_t cores = values.size() / chips;
  std::vector<double> sums(chips, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / cores] += values[i].value;
  return sums;
}

Result<std::vector<double>> MeanByChip(const std::vector<MetricValue>& values, std::size_t chips) {
  MLPROF_LET(sums, SumByChip(values, chips));
  const auto cores = static_cast<double>(values.size() / chips);
  for (double& sum : sums) sum /= cores;
  return sums;
}

}  // namespace mlprof::server::tpu
