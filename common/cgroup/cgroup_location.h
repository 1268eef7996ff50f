// Where the files of a process's own cgroup lie, from /proc/self/cgroup and /proc/self/mountinfo:
// v1, v2 or both mounted, with the host's cgroup namespace or a private one. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mlprof {

struct CgroupLocation {
  int version = 0;  // 0: none was found
  // v2: one folder. v1: one per controller; empty where it is not mounted.
  std::string unified;
  std::string unified_mount;  // v2: the topmost folder that is mounted
  std::string cpu;
  std::string cpuacct;
  std::string memory;
  std::string pids;
};

CgroupLocation LocateCgroup(std::string_view proc_self_cgroup, std::string_view mountinfo);

}  // namespace mlprof
