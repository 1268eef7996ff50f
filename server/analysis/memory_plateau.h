// Whether memory has stopped growing while a model serves, or leaks: judged by windows of one
// container's serving life, which are cut out of its samples here too. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/domain/findings.h"
#include "common/domain/sample.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// A stretch of one container's serving life, of unreclaimable memory.
struct MemoryWindow {
  std::int64_t requests_before = 0;  // answered before it began
  std::int64_t requests = 0;         // answered within it
  Bytes peak;
  Bytes low;  // the smallest reading: spikes and requests in flight are not in it
  std::chrono::duration<double> time{0};
};

struct PlateauVerdict {
  MemoryTrend trend = MemoryTrend::kUnknown;
  /// Slope of the lows over the part that was judged, at least 0; absent where unknown.
  std::optional<double> bytes_per_request;
  /// The lowest of those lows: about what a fresh container serves with. Absent where unknown.
  std::optional<Bytes> level;
  /// At least 10 windows, not growing, and no new highest peak in the last 5.
  bool settled = false;
  /// That 95% of the windows to come stay under the highest peak: 1 - 0.95^n over n windows without
  /// growth (binomial); 0 where it grows or is unknown.
  double steady_confidence = 0;
};

/// `windows` in order, over the whole serving life, best of about equal numbers of requests.
/// Unknown under 10 windows that answered requests. Judged is the later part, as memory warms up at
/// first: growing means that the lows rise by rank (Mann-Kendall), by more than noise over the part
/// (Theil-Sen slope × requests), without flattening off, and throughout rather than in a step or
/// two; from 16 judged windows on also beside one lasting step. On made-up traces with half a MiB
/// of counter noise each way, 20 to 60 windows find 1 KiB a request over 5,000 requests in more
/// than 95%, and raise a false alarm on fewer than 1% of clean ones (slow saturation alone: 2%).
/// Cut the life into 30 windows or more where there are the requests for it.
PlateauVerdict JudgePlateau(std::span<const MemoryWindow> windows);

/// Until `headroom` is used up; infinity where nothing grows.
double HoursToOutOfMemory(double bytes_per_request, double requests_per_second, Bytes headroom);

/// A stretch of time in which `requests` were answered. Times on the samples' clock.
struct RequestStretch {
  std::chrono::nanoseconds began{0};
  std::chrono::nanoseconds ended{0};
  std::int64_t requests = 0;
  /// When each of them was, in order; where it is empty, they are taken to be spread evenly. A
  /// model at its limit answers next to nothing for seconds before the kernel kills it.
  std::vector<std::chrono::nanoseconds> answered = {};
};

/// Answered in all of them.
std::int64_t RequestsOf(std::span<const RequestStretch> stretches);

/// Cuts the stretches, which follow one another, into windows of about `length` (at least one a
/// stretch) with the smallest and the largest unreclaimable memory seen in each. A window without a
/// sample is left out.
std::vector<MemoryWindow> MakeMemoryWindows(std::span<const Sample> samples,
                                            std::span<const RequestStretch> stretches,
                                            std::chrono::nanoseconds length);

}  // namespace mlprof::server
