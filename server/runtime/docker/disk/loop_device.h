// A loop device over an image file. Linux alone; needs root.
#pragma once

#include <filesystem>

#include "common/os/unique_fd.h"
#include "common/result/result.h"

namespace mlprof::server::docker {

struct LoopDevice {
  std::filesystem::path path;  // "/dev/loop3"
  UniqueFd hold;  // the kernel lets the device go when nothing holds or mounts it any more
};

/// Takes a free device for `image`, past the page cache where the disk below can do that: what a
/// model writes would be cached twice. kUnavailable with what is missing.
Result<LoopDevice> AttachLoopDevice(const std::filesystem::path& image);

/// Whether the file system mounted at `mount_point` lies in `image`.
bool IsMountOf(const std::filesystem::path& mount_point, const std::filesystem::path& image);

}  // namespace mlprof::server::docker
