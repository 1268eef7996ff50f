// A file system of its own for what a container writes: no file, removed or deep as it may be,
// takes more than it holds. It lies in an image file, on a loop device.
#pragma once

#include <filesystem>

#include "common/os/unique_fd.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/units/bytes.h"

namespace mlprof::server::docker {

/// How many files a volume of that size holds: one for 16 KiB, as file systems are usually made.
std::int64_t FilesFor(Bytes size);

/// An ext4 in a sparse file of `folder`, mounted below it. Both go with the object, whatever still
/// uses them: writes then fail. Not thread-safe.
class LoopVolume {
 public:
  /// kUnavailable with what is missing: rights, loop devices or mkfs.ext4.
  static Result<LoopVolume> Mount(const std::filesystem::path& folder, Bytes size,
                                  Deadline deadline);
  LoopVolume(LoopVolume&& other) noexcept;
  LoopVolume& operator=(LoopVolume&&) = delete;
  ~LoopVolume();

  /// Where it is mounted.
  std::filesystem::path root() const;

 private:
  explicit LoopVolume(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;  // "": moved from
};

/// Unmounts the volume that a killed process left in `folder` and removes its image. Touches no
/// mount but that of the image there.
void RemoveVolume(const std::filesystem::path& folder);

/// A loop device over an image file. Linux alone; needs root.
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
