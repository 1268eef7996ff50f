// Whether this process could give containers file systems of their own (ext4 in a loop device).
#pragma once

#include <filesystem>
#include <string>

namespace mlprof {

/// mkfs.ext4, where distributions put it or on PATH; "" where it is not.
std::filesystem::path FindMkfs();

/// What is missing, for a person: rights, /dev/loop-control or e2fsprogs; "" where nothing is.
std::string MissingForLoopVolumes();

}  // namespace mlprof
