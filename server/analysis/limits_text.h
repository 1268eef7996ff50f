// Limits as a sentence says them. Pure.
#pragma once

#include <string>

#include "common/domain/limits.h"

namespace mlprof::server {

/// "0.4 cores and 512 MiB", "1.0 cores, 2048 MiB and 2 x 6144 MiB of device memory".
std::string LimitsText(const Limits& limits);

}  // namespace mlprof::server
