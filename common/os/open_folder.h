// Opens a folder of a tree that strangers may have made.
#pragma once

#include "common/os/unique_fd.h"

namespace mlprof {

/// Opens the folder `name` of the open folder `parent` for reading. Follows no link and enters no
/// other mount (errno EXDEV). Without a descriptor errno says why not.
UniqueFd OpenFolderAt(int parent, const char* name);

}  // namespace mlprof
