// Gives back the page cache of folders, so that every start reads its files from disk and is
// charged for them: otherwise the first container pays and later ones get them free.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace mlprof::agent {

/// Most of what dropping may add to a start. Chosen, not measured: files that are left keep their
/// pages, and are free to the container that comes next.
inline constexpr std::chrono::milliseconds kDropCacheTime{2000};

struct Dropped {
  int files = 0;
  bool in_time = true;  // all of the folders were visited
};

/// Drops the clean pages of the regular files of at least 256 KiB below each folder, on the
/// folder's own file system, without following links; /proc, /sys and /dev are left out. What
/// cannot be opened is passed over, what another process has mapped stays. Ends after `at_most`
/// with what was done by then.
Dropped DropCache(const std::vector<std::string>& folders,
                  std::chrono::milliseconds at_most = kDropCacheTime);

/// A file by whose name it is known to be small. An image of Python has ten thousands; looking at
/// each would leave its directory entry in the kernel's memory, charged to the container. Pure.
bool SmallByName(std::string_view name);

}  // namespace mlprof::agent
