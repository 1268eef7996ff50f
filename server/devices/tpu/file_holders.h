// Which processes of this machine have files open.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace mlprof::server::tpu {

struct FileHolders {
  std::set<pid_t> pids = {};
  bool hidden = false;  // files of other users' processes are seen by root alone
};

/// Of any of `files`, as they are named in /dev.
FileHolders HoldersOf(const std::vector<std::string>& files, const std::filesystem::path& proc);

}  // namespace mlprof::server::tpu
