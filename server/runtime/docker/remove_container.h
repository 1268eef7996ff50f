// Removing a container of this installation, with the engine where it answers and without it where
// it does not.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/time/deadline.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// What the engine still gets once a run is stopped, for the removal of its container.
inline constexpr std::chrono::seconds kRemovalAfterStop{3};

/// The id of the container of this name. kNotFound where there is none, kConflict where it is of
/// somebody else.
Result<std::string> FindOwn(DockerContext& context, const std::string& name,
                            const Patience& patience);

/// Removes the container `name`; success also where there is none. `id` is "" where the response to
/// its create was lost: then it is found by its name, where the caller has given up also if the
/// engine creates it only now. Waits as long as `patience`, but when its caller gives up, or has,
/// only kRemovalAfterStop more. What the engine does not remove has its processes killed through
/// their cgroup and is left to be removed as an orphan; the error says why.
Status RemoveOrLose(DockerContext& context, const std::string& name, const std::string& id,
                    const Patience& patience);

/// For the removal of a container's scratch after the container's own: what is left of `deadline`,
/// a moment where that or the run's end has come.
Patience ForScratch(Deadline deadline, const std::stop_token& stop);

// A container whose engine no longer answers still burns CPU and memory: it is killed through its
// cgroup, without the engine.

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
