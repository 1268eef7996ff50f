// Which processes of this machine have files open.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace mlprof::server::tpu {

/// Of any of `files`, as they are named in /dev. Those of other users are seen by root alone.
std::set<pid_t> HoldersOf(const std::vector<std::string>& files, const std::filesystem::path& proc);

}  // namespace mlprof::server::tpu
