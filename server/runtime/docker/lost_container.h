// A container whose engine no longer answers still burns CPU and memory: it is killed through its
// cgroup, without the engine.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mlprof::server::docker {

/// Whether a process with this /proc/PID/cgroup belongs to the container: its id names a cgroup on
/// one of the paths, as Docker's drivers do it ("…/ID", "…/docker-ID.scope"), below whatever parent
/// and in both cgroup versions. False for anything but a whole id.
bool IsInContainer(std::string_view cgroup_text, const std::string& container_id);

/// The container's processes, in ours pids. `proc` is /proc.
std::vector<pid_t> ProcessesOf(const std::string& container_id,
                               const std::filesystem::path& proc = "/proc");

/// Sends SIGKILL to every process of the container until no other is found. Returns how many.
int KillThroughCgroup(const std::string& container_id);

}  // namespace mlprof::server::docker
