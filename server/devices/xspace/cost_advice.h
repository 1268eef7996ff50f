// What to do about what costs a program on its devices, and the figures, as they are told. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/json/json.h"
#include "server/devices/xspace/device_costs.h"

namespace mlprof::server::xspace {

/// On padding and on precision, the one that costs more first; none where neither is worth work.
/// What waiting for input costs is told by the verdict on the steps.
std::vector<std::string> AdviceOn(const DeviceCosts& costs);

/// null where nothing is known.
Json PaddingJson(const DeviceCosts& costs);
Json PrecisionJson(const DeviceCosts& costs);

}  // namespace mlprof::server::xspace
