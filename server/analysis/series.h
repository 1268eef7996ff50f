// Series made of the agent's samples, and series put together and thinned for a plot. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/domain/sample.h"
#include "common/domain/series.h"

namespace mlprof::server {

/// "cpuCores" and "throttledShare" (rates over at least 100 ms), "memoryInBytes" (unreclaimable),
/// "cacheInBytes", "processes"; where they were read "peakMemoryInBytes" (gap-free),
/// "mappedFileInBytes", "sendLagInMs" (largest since the sample before), "hostCpuPressure"
/// (percent) and, over at least a second, "memoryStallShare" (of the time, how much some task stood
/// waiting for memory) and "waitingThreads" (that stood ready to run without a core, on average).
/// None is empty.
std::vector<Series> MakeSeries(std::span<const Sample> samples);

/// What came in parts, a part for each container: those of one name and source made one, in the
/// order of the parts. Sorted by name.
std::vector<Series> Join(std::vector<Series> parts);

/// At most `max_points`: each bucket of neighbours keeps its smallest and its largest point.
std::vector<SeriesPoint> Thin(std::span<const SeriesPoint> points, std::size_t max_points);

}  // namespace mlprof::server
