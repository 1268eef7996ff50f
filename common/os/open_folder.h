// Opens a folder of a tree that strangers may have made.
#pragma once

#include <dirent.h>

#include <memory>

#include "common/os/unique_fd.h"

namespace mlprof {

/// Opens the folder `name` of the open folder `parent` for reading. Follows no link and enters no
/// other mount (errno EXDEV). Without a descriptor errno says why not.
UniqueFd OpenFolderAt(int parent, const char* name);

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

/// The entries of a folder that is open. Null where there is no descriptor, or no memory for it.
OpenFolder ReadFolder(UniqueFd fd);

}  // namespace mlprof
