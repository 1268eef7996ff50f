// Why a device's clocks are lower than they could be, as names. Pure.
#pragma once

#include <string>
#include <vector>

namespace mlprof::server::nvml {

/// Of the driver's bits; that it idles and settings of its owner's are no reasons.
std::vector<std::string> ClockReasons(unsigned long long bits);

}  // namespace mlprof::server::nvml
