// Reader of cgroup v2.
#pragma once

#include <string>

#include "agent/sampling/cgroup_reader.h"
#include "agent/sampling/kept_file.h"

namespace mlprof::agent {

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
