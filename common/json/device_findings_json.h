// What was found out of devices, on the wire and as it is stored: within the recommendation's
// "device".
#pragma once

#include "common/domain/device_findings.h"
#include "common/json/json_reader.h"

namespace mlprof {

Json EncodeDeviceFindings(const DeviceFindings& findings);
/// nullopt where there are none beside the requested amount.
std::optional<DeviceFindings> ReadDeviceFindings(JsonReader& reader);

}  // namespace mlprof
