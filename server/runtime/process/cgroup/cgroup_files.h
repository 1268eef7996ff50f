// Which files of a cgroup hold a limit, and what is written to them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/limits.h"
#include "common/units/bytes.h"
#include "common/units/cores.h"

namespace mlprof::server::process {

/// A file below a hierarchy's folder of the cgroup.
struct CgroupWrite {
  std::string controller;  // "cpu", "memory", "pids"
  std::string file;
  std::string value;
  bool needed = true;  // otherwise a kernel may lack the file
  bool operator==(const CgroupWrite&) const = default;
};

/// The quota of each 100 ms, as containers have it. `version`: of the cgroups, 1 or 2.
std::vector<CgroupWrite> CpuWrites(int version, Cores cpu);
/// The limit, and no swap. On cgroup v2 a machine that has swap must be told so: without it a model
/// has more than its limit.
std::vector<CgroupWrite> MemoryWrites(int version, Bytes memory, bool machine_swaps);
/// Of /proc/swaps: a line of titles, then one for each place that is swapped to.
bool HasSwap(std::string_view swaps);
/// Against fork bombs, as containers have it.
std::vector<CgroupWrite> TaskWrites();

/// The file that counts kills for memory.
std::string OomFile(int version);
/// "oom_kill N" among its lines; 0 where it is not told.
std::int64_t OomKillsIn(std::string_view text);

/// What a cgroup is limited to itself, in a file of the kernel's: "max", or a number too large to
/// be a limit (cgroup v1), is none.
std::optional<Bytes> MemoryLimitIn(std::string_view text);
/// Of cpu.cfs_quota_us and cpu.cfs_period_us, or of "QUOTA PERIOD" in cpu.max.
std::optional<Cores> CpuLimitIn(std::string_view quota, std::string_view period);

}  // namespace mlprof::server::process
