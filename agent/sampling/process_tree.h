// Measures a model that has no cgroup of its own: the sum over the agent and its descendants of
// what /proc and the kernel's clocks say of each. One thread.
//
// What it cannot see: the CPU time that a thread used between two readings of a process that a
// stranger reaped, and any limit, period or kill for memory. Pages that processes share count once
// (each has its share of them, Pss).
#pragma once

#include <string_view>

#include "agent/sampling/cgroup_reader.h"
#include "agent/sampling/model_processes.h"
#include "agent/sampling/proc.h"

namespace mlprof::agent {

class ProcessTree final : public CgroupReader {
 public:
  void ReadCpu(CgroupReading& reading) const override { reading.cpu_time = CpuTime(); }
  void ReadThrottling(CgroupReading&) const override {}
  void ReadUsage(CgroupReading& reading) const override;
  void ReadMemory(CgroupReading& reading) const override;
  void ReadRest(CgroupReading& reading) const override;
  std::chrono::nanoseconds CpuTime() const override;
  std::int64_t OomKills() const override { return 0; }

 private:
  const ProcReader own_;
  mutable KnownProcesses processes_;
};

/// What /proc/PID/smaps_rollup says of one process, each page shared by n processes as a nth.
struct MemoryShare {
  Bytes anonymous;  // and shared memory: what the kernel cannot take back without swap
  Bytes file;
};
MemoryShare ParseSmapsRollup(std::string_view text);

/// utime and stime of the children that a process has reaped, of /proc/PID/stat.
std::chrono::nanoseconds ParseReapedTime(std::string_view stat, long ticks_per_second);

}  // namespace mlprof::agent
