// Trees for tests that no path can name whole.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "common/os/unique_fd.h"

namespace mlprof::fakes {

/// Makes `depth` folders called `name`, each in the one before; the innermost, open.
inline UniqueFd MakeDeepTree(const std::filesystem::path& root, int depth,
                             const std::string& name = "d") {
  UniqueFd folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int level = 0; level < depth && folder; ++level) {
    ::mkdirat(folder.get(), name.c_str(), 0755);
    folder.Reset(::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  return folder;
}

}  // namespace mlprof::fakes
