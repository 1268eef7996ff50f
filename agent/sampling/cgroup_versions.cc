#include "agent/sampling/cgroup_versions.h"

#include <algorithm>
#include <array>

#include "agent/sampling/proc.h"

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

void CgroupV1::ReadThrottling(CgroupReading& reading) const {
  ForEachPair(cpu_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "nr_periods") reading.periods = value;
    if (key == "nr_throttled") reading.throttled_periods = value;
    if (key == "throttled_time") reading.throttled_time = std::chrono::nanoseconds(value);
  });
}

void CgroupV1::ReadUsage(CgroupReading& reading) const {
  reading.usage = Bytes(memory_usage_.ReadNumber().value_or(0));
}

void CgroupV1::ReadMemory(CgroupReading& reading) const {
  std::int64_t unreclaimable = kernel_memory_.ReadNumber().value_or(0);
  std::int64_t cache = 0;
  std::int64_t shmem = 0;
  std::int64_t mapped = 0;
  ForEachPair(memory_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    // The lines without it are this cgroup's own, without those below it.
    if (!key.starts_with("total_")) return;
    key.remove_prefix(6);
    if (key == "rss") unreclaimable += value;
    if (key == "cache") cache = value;
    if (key == "shmem") shmem = value;
    if (key == "mapped_file") mapped = value;
    if (key == "workingset_refault_file") reading.file_refaults = value;
    if (key == "pgmajfault") reading.major_faults = value;
  });
  // v1 counts shmem as cache, and both versions count it as mapped.
  cache = std::max<std::int64_t>(0, cache - shmem);
  reading.unreclaimable = Bytes(unreclaimable + shmem);
  reading.cache = Bytes(cache);
  reading.mapped_file = Bytes(std::min(mapped, cache));
}

void CgroupV1::ReadRest(CgroupReading& reading) const {
  reading.processes = pids_current_.ReadNumber().value_or(0);
  reading.oom_kills = OomKills();
}

namespace {

// What the kernel cannot take back without swap. "file" holds shmem too.
constexpr std::array<std::string_view, 9> kUnreclaimable = {
    "anon",           "shmem",  "sock",    "kernel_stack",      "pagetables",
    "sec_pagetables", "percpu", "vmalloc", "slab_unreclaimable"};

}  // namespace

CgroupV2::CgroupV2(const std::string& folder)
    : cpu_stat_(folder + "/cpu.stat"),
      memory_current_(folder + "/memory.current"),
      memory_stat_(folder + "/memory.stat"),
      memory_events_(folder + "/memory.events"),
      memory_pressure_(folder + "/memory.pressure"),
      pids_current_(folder + "/pids.current") {}

std::chrono::nanoseconds CgroupV2::CpuTime() const {
  std::chrono::microseconds used{0};
  ForEachPair(cpu_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "usage_usec") used = std::chrono::microseconds(value);
  });
  return used;
}

std::int64_t CgroupV2::OomKills() const {
  std::int64_t kills = 0;
  ForEachPair(memory_events_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "oom_kill") kills = value;
  });
  return kills;
}

void CgroupV2::ReadCpu(CgroupReading& reading) const {
  ForEachPair(cpu_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "usage_usec") reading.cpu_time = std::chrono::microseconds(value);
    if (key == "nr_periods") reading.periods = value;
    if (key == "nr_throttled") reading.throttled_periods = value;
    if (key == "throttled_usec") reading.throttled_time = std::chrono::microseconds(value);
  });
}

void CgroupV2::ReadUsage(CgroupReading& reading) const {
  reading.usage = Bytes(memory_current_.ReadNumber().value_or(0));
}

void CgroupV2::ReadMemory(CgroupReading& reading) const {
  std::int64_t unreclaimable = 0;
  std::int64_t file = 0;
  std::int64_t shmem = 0;
  std::int64_t mapped = 0;
  ForEachPair(memory_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "file") file = value;
    if (key == "shmem") shmem = value;
    if (key == "file_mapped") mapped = value;
    if (key == "workingset_refault_file") reading.file_refaults = value;
    if (key == "pgmajfault") reading.major_faults = value;
    if (std::find(kUnreclaimable.begin(), kUnreclaimable.end(), key) != kUnreclaimable.end()) {
      unreclaimable += value;
    }
  });
  const std::int64_t cache = std::max<std::int64_t>(0, file - shmem);
  reading.unreclaimable = Bytes(unreclaimable);
  reading.cache = Bytes(cache);
  // Mapped shmem is counted as mapped.
  reading.mapped_file = Bytes(std::min(mapped, cache));
}

void CgroupV2::ReadRest(CgroupReading& reading) const {
  reading.processes = pids_current_.ReadNumber().value_or(0);
  reading.oom_kills = OomKills();
  const auto pressure = memory_pressure_.Read();
  reading.memory_stall = pressure ? ParseStallTime(*pressure) : std::nullopt;
}

}  // namespace mlprof::agent
