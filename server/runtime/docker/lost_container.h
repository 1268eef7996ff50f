// A container whose engine no longer answers still burns CPU and memory: it is killed through its
// cgroup, without the engine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mlprof::docker {

/// Where the processes of a container are listed (cgroup.procs), for both cgroup versions and both
/// of Docker's cgroup drivers; only those that exist. `root` is /sys/fs/cgroup.
std::vector<std::filesystem::path> ProcessLists(const std::filesystem::path& root,
                                                const std::string& container_id);

/// Sends SIGKILL to every process of the container until none is listed any more (at most a few
/// rounds). Returns how many were killed.
int KillThroughCgroup(const std::string& container_id,
                      const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace mlprof::docker
