// What the process runtime needs of a machine and finds on it, for people.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/runtime/process/permissions.h"

namespace mlprof::server::process {

struct ProcessCheck {
  std::string name;
  bool ok = false;
  std::string found;  // what is there
  std::string mend;   // what mends it, or makes it better; "": nothing is to be done
};

/// What is known of a machine.
struct ProcessSurroundings {
  Permissions permissions;
  bool root = false;
  int cgroup_version = 0;  // 0: none is mounted
  bool proc = false;       // /proc tells of processes
  std::string python;      // that entry scripts are served with; "": none
};

/// Pure.
std::vector<ProcessCheck> ChecksOf(const ProcessSurroundings& found);

/// The same of this machine: makes a sandbox and a cgroup as for a model, and removes them. Takes
/// seconds at most.
std::vector<ProcessCheck> TryProcesses(const std::filesystem::path& agent);

}  // namespace mlprof::server::process
