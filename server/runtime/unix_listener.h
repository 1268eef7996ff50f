// A Unix socket that containers reach through a mount of it.
#pragma once

#include <filesystem>

#include "common/os/unique_fd.h"
#include "common/result/result.h"

namespace mlprof::server {

/// Makes `folder` anew, for nobody but us (0700). A former process may have left it.
Status MakeSocketFolder(const std::filesystem::path& folder);

/// Listens at `path`, open to every uid (0666): the folder it lies in keeps others out. Does not
/// block. kInvalidArgument where the path does not fit a socket's address.
Result<UniqueFd> ListenAt(const std::filesystem::path& path, int backlog);

/// How long a socket's path may be.
std::size_t LongestSocketPath();

}  // namespace mlprof::server
