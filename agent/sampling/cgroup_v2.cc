#include "agent/sampling/cgroup_v2.h"

#include <algorithm>
#include <array>

namespace mlprof::agent {
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

CgroupReading CgroupV2::Read() const {
  CgroupReading reading;
  ForEachPair(cpu_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "usage_usec") reading.cpu_time = std::chrono::microseconds(value);
    if (key == "nr_periods") reading.periods = value;
    if (key == "nr_throttled") reading.throttled_periods = value;
    if (key == "throttled_usec") reading.throttled_time = std::chrono::microseconds(value);
  });
  std::int64_t unreclaimable = 0;
  std::int64_t file = 0;
  std::int64_t shmem = 0;
  ForEachPair(memory_stat_.Read().value_or(""), [&](std::string_view key, std::int64_t value) {
    if (key == "file") file = value;
    if (key == "shmem") shmem = value;
    if (std::find(kUnreclaimable.begin(), kUnreclaimable.end(), key) != kUnreclaimable.end()) {
      unreclaimable += value;
    }
  });
  reading.unreclaimable = Bytes(unreclaimable);
  reading.cache = Bytes(std::max<std::int64_t>(0, file - shmem));
  reading.usage = Bytes(memory_current_.ReadNumber().value_or(0));
  reading.processes = pids_current_.ReadNumber().value_or(0);
  reading.oom_kills = OomKills();
  return reading;
}

}  // namespace mlprof::agent
