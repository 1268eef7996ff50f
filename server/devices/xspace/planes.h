// Which plane of a trace is which device, by its name. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

enum class Hardware { kCpu, kGpu, kTpu };

inline constexpr std::string_view kHostPlane = "/host:CPU";
inline constexpr std::string_view kMetadataPlane = "/host:metadata";

/// The number N of a TensorCore's plane "/device:TPU:N"; nullopt for any other.
std::optional<int> TensorCoreOf(const Plane& plane);
/// The number N of "/device:GPU:N".
std::optional<int> GpuOf(const Plane& plane);

std::vector<const Plane*> TensorCores(const Trace& trace);
std::vector<const Plane*> Gpus(const Trace& trace);
/// TPU where a plane of one has been recorded, else GPU, else CPU.
Hardware HardwareOf(const Trace& trace);
std::string_view Name(Hardware hardware);  // "TPU", "GPU", "CPU"

const Line* FindLine(const Plane& plane, std::string_view name);

}  // namespace mlprof::server::xspace
