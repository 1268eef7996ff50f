// The messages of tpu.monitoring.runtime.RuntimeMetricService, as far as they matter here: what is
// asked of libtpu, and the figures in what it answers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::tpu {

inline constexpr std::string_view kMetricMethod =
    "/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric";

/// Names of metrics, as libtpu has them. Memory is told by the core, duty cycles by the chip.
namespace metrics {
inline constexpr std::string_view kMemoryUsage = "tpu.runtime.hbm.memory.usage.bytes";
inline constexpr std::string_view kMemoryTotal = "tpu.runtime.hbm.memory.total.bytes";
inline constexpr std::string_view kDutyCycle = "tpu.runtime.tensorcore.dutycycle.percent";
inline constexpr std::string_view kBandwidth = "tpu.runtime.hbm.utilization.percent";
inline constexpr std::string_view kIdle = "tpu.runtime.tensorcore.idle_duration.seconds";
inline constexpr std::string_view kQueue = "hlo.queue.size.gauge";
}  // namespace metrics

/// Of one device of a process, as frameworks number them.
struct MetricValue {
  std::int64_t device = 0;
  double value = 0;  // whole numbers too: bytes of HBM are below 2^53
  bool operator==(const MetricValue&) const = default;
};

std::string EncodeMetricRequest(std::string_view metric);

/// The gauges and counters of the answer, by device. kInternal where `message` is none.
Result<std::vector<MetricValue>> ReadMetricResponse(std::string_view message);

}  // namespace mlprof::server::tpu
