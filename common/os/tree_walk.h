// A walk over a tree of any depth and width, with a bounded number of descriptors and little
// memory.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof {

struct WalkedEntry {
  int folder;  // the open folder that holds it, for the …at() calls
  const char* name;
  const struct stat& status;  // of a link itself
};

struct WalkBounds {
  std::int64_t entries;
  Deadline deadline;
  std::function<bool()> give_up = {};  // asked now and then, where there is one
};

enum class WalkEnd { kComplete, kTooManyEntries, kOutOfTime, kGivenUp };

struct Walk {
  WalkEnd end = WalkEnd::kComplete;
  std::int64_t entries = 0;    // that were visited
  std::int64_t unentered = 0;  // folders that could not be read, or that are other mounts
  bool moved_meanwhile =
      false;  // folders were moved during the walk: what was left of them is missed
};

/// Calls `visit` for every file and folder below `root`, a folder before what it holds. Follows no
/// links, enters no other mount and cannot be led out of the tree by somebody who moves folders
/// meanwhile. What vanishes meanwhile is passed over. Fails where `root` itself cannot be read.
Result<Walk> WalkTree(const std::filesystem::path& root, const WalkBounds& bounds,
                      const std::function<void(const WalkedEntry&)>& visit);

}  // namespace mlprof
