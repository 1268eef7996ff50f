// Samples as named series for a plot, thinned so that extremes stay visible. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/domain/sample.h"

namespace mlprof {

/// [seconds, value] in order of time.
using Series = std::vector<std::pair<double, double>>;

/// "cpuCores" and "throttledShare" (rates over at least 100 ms), "memoryInBytes" (unreclaimable),
/// "cacheInBytes", "processes"; where they
/// were read "peakMemoryInBytes" (gap-free), "mappedFileInBytes", "sendLagInMs" (largest since the
/// sample before), "hostCpuPressure" (percent) and, over at least a second, "memoryStallShare" (of
/// the time, how much some task stood waiting for memory) and "waitingThreads" (that stood ready to
/// run without a core, on average).
std::map<std::string, Series> MakeSeries(std::span<const Sample> samples);

/// At most `max_points`: each bucket of neighbours keeps its smallest and its largest point.
Series Thin(const Series& series, std::size_t max_points);

}  // namespace mlprof
