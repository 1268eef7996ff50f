// What the parts of sampling cost by themselves.
#pragma once

#include <chrono>

namespace mlprof::server::bench {

/// CPU, in percent of a core, of a loop that wakes 100 times a second and does nothing: what any
/// program pays that looks so often on this machine.
double IdleLoopCpuPercent(std::chrono::milliseconds time);

/// CPU microseconds of one sample when nothing else came between: the calls without the wake-up and
/// without the caches that other work has emptied.
double WarmSampleMicroseconds();

/// CPU microseconds of the memory readings before and after an attributed row, for one process.
double RowReadingMicroseconds();

}  // namespace mlprof::server::bench
