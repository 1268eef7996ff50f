// The readers of the two versions of cgroups: which file of which version gives a figure. One
// thread.
#pragma once

#include <string>

#include "agent/sampling/cgroup_reader.h"
#include "agent/sampling/kept_file.h"

namespace mlprof::agent {

/// Reader of cgroup v1. `unreclaimable` is an upper bound: kernel memory cannot be told apart from
/// reclaimable slab there.
class CgroupV1 final : public CgroupReader {
 public:
  explicit CgroupV1(const CgroupLocation& location);
  void ReadCpu(CgroupReading& reading) const override { reading.cpu_time = CpuTime(); }
  void ReadThrottling(CgroupReading& reading) const override;
  void ReadUsage(CgroupReading& reading) const override;
  void ReadMemory(CgroupReading& reading) const override;
  void ReadRest(CgroupReading& reading) const override;
  std::chrono::nanoseconds CpuTime() const override;
  std::int64_t OomKills() const override;

 private:
  KeptFile cpu_usage_;
  KeptFile cpu_stat_;
  KeptFile memory_usage_;
  KeptFile memory_stat_;
  KeptFile kernel_memory_;
  KeptFile oom_control_;
  KeptFile pids_current_;
};

/// Reader of cgroup v2.
class CgroupV2 final : public CgroupReader {
 public:
  explicit CgroupV2(const std::string& folder);
  void ReadCpu(CgroupReading& reading) const override;
  void ReadThrottling(CgroupReading&) const override {}
  void ReadUsage(CgroupReading& reading) const override;
  void ReadMemory(CgroupReading& reading) const override;
  void ReadRest(CgroupReading& reading) const override;
  std::chrono::nanoseconds CpuTime() const override;
  std::int64_t OomKills() const override;

 private:
  KeptFile cpu_stat_;
  KeptFile memory_current_;
  KeptFile memory_stat_;
  KeptFile memory_events_;
  KeptFile memory_pressure_;
  KeptFile pids_current_;
};

}  // namespace mlprof::agent
