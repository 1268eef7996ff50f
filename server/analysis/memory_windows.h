// Memory over requests, as windows of one container's serving life. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "common/domain/sample.h"
#include "server/analysis/memory_plateau.h"

namespace mlprof::server {

/// A stretch of time in which `requests` were answered, evenly for all that is known. Times on the
/// samples' clock.
struct RequestStretch {
  std::chrono::nanoseconds began{0};
  std::chrono::nanoseconds ended{0};
  std::int64_t requests = 0;
};

/// Cuts the stretches, which follow one another, into windows of about `length` (at least one a
/// stretch) with the smallest and the largest unreclaimable memory seen in each. A window without a
/// sample is left out.
std::vector<MemoryWindow> MakeMemoryWindows(std::span<const Sample> samples,
                                            std::span<const RequestStretch> stretches,
                                            std::chrono::nanoseconds length);

}  // namespace mlprof::server
