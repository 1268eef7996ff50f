#include "agent/sampling/cgroup_v1.h"

namespace mlprof::agent {

CgroupV1::CgroupV1(const CgroupLocation& at)
    : cpu_usage_(at.cpuacct + "/cpuacct.usage"),
      cpu_stat_(at.cpu + "/cpu.stat"),
      memory_usage_(at.memory + "/memory.usage_in_bytes"),
      memory_stat_(at.memory + "/memory.stat"),
      kernel_memory_(at.memory + "/memory.kmem.usage_in_bytes"),
      oom_control_(at.memory + "/memory.oom_control"),
      pids_current_(at.pids + "/pids.current") {}

std::chrono::nanoseconds CgroupV1::CpuTime() const {
  return std::chrono::nanoseconds(cpu_usage_.ReadNumber().value_or(0));
}

std::int64_t CgroupV1::OomKills() const {
  std::int64_t kills = 0;
  ForEachPair(oom_control_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "oom_kill") kills = value;
  });
  return kills;
}

CgroupReading CgroupV1::Read() const {
  CgroupReading reading;
  reading.cpu_time = CpuTime();
  ForEachPair(cpu_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "nr_periods") reading.periods = value;
    if (key == "nr_throttled") reading.throttled_periods = value;
    if (key == "throttled_time") reading.throttled_time = std::chrono::nanoseconds(value);
  });
  std::int64_t unreclaimable = kernel_memory_.ReadNumber().value_or(0);
  std::int64_t cache = 0;
  std::int64_t shmem = 0;
  ForEachPair(memory_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "total_rss") unreclaimable += value;
    if (key == "total_cache") cache = value;
    if (key == "total_shmem") shmem = value;
  });
  // v1 counts shmem as cache.
  reading.unreclaimable = Bytes(unreclaimable + shmem);
  reading.cache = Bytes(cache > shmem ? cache - shmem : 0);
  reading.usage = Bytes(memory_usage_.ReadNumber().value_or(0));
  reading.processes = pids_current_.ReadNumber().value_or(0);
  reading.oom_kills = OomKills();
  return reading;
}

}  // namespace mlprof::agent
