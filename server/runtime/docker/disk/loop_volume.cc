#include "server/runtime/docker/disk/loop_volume.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "common/log/log.h"
#include "common/os/loop_support.h"
#include "common/os/unique_fd.h"
#include "server/runtime/docker/disk/loop_device.h"
#include "server/runtime/environment/run_script.h"

namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;

// Making 10 GiB takes some 60 ms on a busy machine (docs/decisions, 20).
constexpr std::chrono::seconds kMakeLimit{20};
constexpr std::int64_t kBytesPerFile = 16 * 1024;  // the ratio of mkfs.ext4's own default
constexpr std::int64_t kFewestFiles = 1024;
constexpr std::int64_t kMostFiles = 1'000'000;
// EXT4_IOC_SHUTDOWN and its "do not even flush the log"; only newer kernels' headers name them.
constexpr unsigned long kShutDown = _IOR('X', 125, std::uint32_t);
constexpr std::uint32_t kWithoutFlushing = 2;

fs::path ImageIn(const fs::path& folder) { return folder / "volume.img"; }
fs::path MountIn(const fs::path& folder) { return folder / "volume"; }

Status MakeImage(const fs::path& image, Bytes size) {
  const UniqueFd file(::open(image.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file || ::ftruncate(file.get(), size.count()) != 0) {
    return Fail(FromErrno(errno, "cannot make " + image.string()));
  }
  return {};
}

// Without a journal, since nothing outlives the container; without blocks that only root may use;
// and the tables of inodes are not written, so that the sparse image takes next to no room.
Status MakeFileSystem(const fs::path& image, Bytes size, Deadline deadline) {
  const fs::path program = FindMkfs();
  if (program.empty()) return Fail(Unavailable("mkfs.ext4 is not installed"));
  std::string said;
  const auto keep = [&](std::string_view text) { said.append(text.substr(0, 1000)); };
  const Result<int> status = environment::RunProgram(
      {program.string(), "-q", "-F", "-O", "^has_journal,^resize_inode", "-b", "4096", "-m", "0",
       "-N", std::to_string(FilesFor(size)), "-E", "lazy_itable_init=1,nodiscard", image.string()},
      keep, {}, deadline.AtMost(kMakeLimit));
  if (!status) return Fail(status.error().WithContext("mkfs.ext4"));
  if (*status == 0) return {};
  return Fail(Unavailable("mkfs.ext4 ended with " + std::to_string(*status) + ": " + said));
}

// Shuts the file system down without writing what is in memory: nobody needs it. Nothing can write
// to it any more, even through a copy of the mount in another namespace.
void ShutDown(const fs::path& mount) {
  const UniqueFd root(::open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::uint32_t how = kWithoutFlushing;
  if (root) (void)::ioctl(root.get(), kShutDown, &how);
}

}  // namespace

std::int64_t FilesFor(Bytes size) {
  return std::clamp(size.count() / kBytesPerFile, kFewestFiles, kMostFiles);
}

Result<LoopVolume> LoopVolume::Mount(const fs::path& folder, Bytes size, Deadline deadline) {
  LoopVolume volume(folder);  // whatever fails, it removes what was made so far
  MLPROF_TRY(MakeImage(ImageIn(folder), size));
  MLPROF_TRY(MakeFileSystem(ImageIn(folder), size, deadline));
  if (::mkdir(MountIn(folder).c_str(), 0700) != 0) {
    return Fail(FromErrno(errno, "cannot make " + MountIn(folder).string()));
  }
  const Result<LoopDevice> device = AttachLoopDevice(ImageIn(folder));
  if (!device) return Fail(device.error());
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOATIME;
  if (::mount(device->path.c_str(), MountIn(folder).c_str(), "ext4", kFlags, "noinit_itable") !=
      0) {
    return Fail(Unavailable(FromErrno(errno, "mounting " + device->path.string()).message()));
  }
  return volume;
}

LoopVolume::LoopVolume(LoopVolume&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

LoopVolume::~LoopVolume() {
  if (!folder_.empty()) RemoveVolume(folder_);
}

fs::path LoopVolume::root() const { return MountIn(folder_); }

void RemoveVolume(const fs::path& folder) {
  const fs::path image = ImageIn(folder);
  const fs::path mount = MountIn(folder);
  if (IsMountOf(mount, image)) {
    ShutDown(mount);
    if (::umount2(mount.c_str(), UMOUNT_NOFOLLOW) != 0 &&
        ::umount2(mount.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0) {
      LogError("a container's volume could not be unmounted",
               {{"folder", mount.string()}, {"why", FromErrno(errno, "umount").message()}});
      return;
    }
  }
  (void)::rmdir(mount.c_str());
  // Its blocks come back now, even where something unseen holds the device.
  (void)::truncate(image.c_str(), 0);
  (void)::unlink(image.c_str());
}

}  // namespace mlprof::server::docker
