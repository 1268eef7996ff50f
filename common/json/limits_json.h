// Limits as JSON: CPU and memory are always told, a device where there is one.
#pragma once

#include <optional>

#include "common/domain/limits.h"
#include "common/json/json_reader.h"

namespace mlprof {

/// {"cpu": 0.4, "memoryInBytes": 536870912}, and "device" where there is one.
Json EncodeLimits(const Limits& limits);
/// Lenient, as of a resource: what is missing is 0, or no device.
Limits ReadLimits(JsonReader& reader);

/// {"memoryInGb": 6.0, "memoryInBytes": 6442450944, "count": 2}, the memory of each.
Json EncodeDeviceMemory(const DeviceMemory& memory);
DeviceMemory ReadDeviceMemory(JsonReader& reader);

}  // namespace mlprof
