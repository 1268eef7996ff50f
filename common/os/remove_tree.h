// Removes a tree that strangers made: of any depth, with two descriptors and no recursion.
#pragma once

#include <filesystem>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof {

/// Removes a file, a link or a folder with all that is below it; success also where there is
/// nothing. Follows no links; leaves mounts inside of it as they are and says so. Folders deep in
/// it are moved up meanwhile. kDeadlineExceeded or kCancelled where the rest must be removed by
/// another call.
Status RemoveTree(const std::filesystem::path& path, const Patience& patience);

}  // namespace mlprof
