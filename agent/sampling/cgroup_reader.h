// What one cgroup says of itself, the same for both versions. Files that are missing leave their
// figures at zero. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "common/cgroup/cgroup_location.h"
#include "common/units/bytes.h"

namespace mlprof::agent {

struct CgroupReading {
  std::chrono::nanoseconds cpu_time{0};
  std::int64_t periods = 0;
  std::int64_t throttled_periods = 0;
  std::chrono::nanoseconds throttled_time{0};
  Bytes usage;
  Bytes unreclaimable;
  Bytes cache;
  Bytes mapped_file;
  std::int64_t file_refaults = 0;
  std::int64_t major_faults = 0;
  std::int64_t processes = 0;
  std::int64_t oom_kills = 0;
  std::optional<std::chrono::nanoseconds> memory_stall;
};

class CgroupReader {
 public:
  virtual ~CgroupReader() = default;

  // A reading in parts, so that what changes slowly or costs much is read less often. Each sets its
  // own fields of `reading`.
  /// CPU time, and what stands in the same file.
  virtual void ReadCpu(CgroupReading& reading) const = 0;
  /// Periods and throttling, where ReadCpu has not given them.
  virtual void ReadThrottling(CgroupReading& reading) const = 0;
  /// Usage alone: the one figure of memory that costs little.
  virtual void ReadUsage(CgroupReading& reading) const = 0;
  /// All that stands in memory.stat, and kernel memory.
  virtual void ReadMemory(CgroupReading& reading) const = 0;
  /// Processes, OOM kills, time stalled for memory.
  virtual void ReadRest(CgroupReading& reading) const = 0;
  /// All parts.
  CgroupReading Read() const;

  // These two alone, for when a full reading would cost too much.
  virtual std::chrono::nanoseconds CpuTime() const = 0;
  virtual std::int64_t OomKills() const = 0;
};

/// The reader of the location's version; one that reads nothing where no cgroup was found.
std::unique_ptr<CgroupReader> OpenCgroup(const CgroupLocation& location);

}  // namespace mlprof::agent
