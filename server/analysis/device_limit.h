// What keeps a model on devices from being faster. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/domain/device_findings.h"
#include "common/domain/recommendation.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// Under one load. Absent: it was not read.
struct DeviceLoad {
  std::optional<double> busy;         // share of the time in which a kernel ran: a duty cycle
  std::optional<double> memory_busy;  // in which the device's memory was read or written
  std::optional<double> held;         // share of the device's memory that the model held
  std::optional<double> cpu;          // share of its CPU limit that the model used
  DeviceKind kind = DeviceKind::kGpu;
};

// Chosen, not measured: a mark is met where hardly any of the resource is left. How a share of time
// with a kernel is to be read docs/MEASUREMENT.md says.
inline constexpr double kDeviceBusyMark = 0.90;
inline constexpr double kDeviceMemoryBusyMark = 0.80;
inline constexpr double kDeviceHeldMark = 0.95;
inline constexpr double kHostCpuMark = 0.90;

/// The first that meets its mark: memory's bandwidth, before the kernels that wait for it; kernels
/// (SM, or a TPU's TensorCores); the host's CPU, where the device idles; the memory held. nullopt
/// where nothing of the device was read.
std::optional<DeviceLimit> JudgeDeviceLimit(const DeviceLoad& load);

}  // namespace mlprof::server
