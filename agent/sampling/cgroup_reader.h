// What one cgroup says of itself, the same for both versions. Files that are missing leave their
// figures at zero. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "agent/sampling/cgroup_location.h"
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
  std::int64_t processes = 0;
  std::int64_t oom_kills = 0;
};

class CgroupReader {
 public:
  virtual ~CgroupReader() = default;
  virtual CgroupReading Read() const = 0;
  /// These two alone, for when a full reading would cost too much.
  virtual std::chrono::nanoseconds CpuTime() const = 0;
  virtual std::int64_t OomKills() const = 0;
};

/// The reader of the location's version; one that reads nothing where no cgroup was found.
std::unique_ptr<CgroupReader> OpenCgroup(const CgroupLocation& location);

}  // namespace mlprof::agent
