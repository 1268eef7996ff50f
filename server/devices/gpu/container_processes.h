// Which processes of the host are a container's: a driver numbers processes as the host does.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace mlprof::server::devices {

/// Whether the text of a /proc/PID/cgroup names the container. Pure. (Docker's folders are
/// ".../docker/ID" and ".../docker-ID.scope", whichever driver of cgroups it has.)
bool NamesContainer(std::string_view cgroup, std::string_view container_id);

/// Whether the process runs in the container now; false where it is gone.
bool RunsIn(const std::string& container_id, pid_t pid,
            const std::filesystem::path& proc = "/proc");

}  // namespace mlprof::server::devices
