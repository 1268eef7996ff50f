#include "server/runtime/docker/disk/loop_volume.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "common/log/log.h"
#include "common/os/loop_support.h"
#include "common/os/unique_fd.h"
#include "server/runtime/environment/run_script.h"

namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;

// Making 10 GiB takes some 60 ms on a busy machine (docs/decisions, 20).
constexpr std::chrono::seconds kMakeLimit{20};
constexpr std::int64_t kBytesPerFile = 16 << 10;  // the ratio of mkfs.ext4's own default
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

namespace {

// Another process may take a free device before we do; then the next one is tried.
constexpr int kAttempts = 64;
// Blocks that every disk can read and write past the page cache (512 bytes some cannot).
constexpr int kBlockSize = 4096;

// 0 or errno.
int Configure(int device, int image, const fs::path& path, unsigned flags) {
  loop_config config{};
  config.fd = static_cast<unsigned>(image);
  config.block_size = kBlockSize;
  config.info.lo_flags = flags;
  std::snprintf(reinterpret_cast<char*>(config.info.lo_file_name), LO_NAME_SIZE, "%s",
                path.c_str());
  return ::ioctl(device, LOOP_CONFIGURE, &config) == 0 ? 0 : errno;
}

}  // namespace

Result<LoopDevice> AttachLoopDevice(const fs::path& image) {
  const UniqueFd file(::open(image.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return Fail(FromErrno(errno, "cannot open " + image.string()));
  const UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control) return Fail(Unavailable(FromErrno(errno, "/dev/loop-control").message()));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return Fail(Unavailable(FromErrno(errno, "no free loop device").message()));
    const std::string path = "/dev/loop" + std::to_string(number);
    UniqueFd device(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!device) return Fail(Unavailable(FromErrno(errno, path).message()));
    int error = Configure(device.get(), file.get(), image, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO);
    if (error == EINVAL) error = Configure(device.get(), file.get(), image, LO_FLAGS_AUTOCLEAR);
    if (error == 0) return LoopDevice{path, std::move(device)};
    if (error != EBUSY) return Fail(Unavailable(FromErrno(error, "using " + path).message()));
  }
  return Fail(Unavailable("other processes took every free loop device"));
}

bool IsMountOf(const fs::path& mount_point, const fs::path& image) {
  struct stat status {};
  if (::stat(mount_point.c_str(), &status) != 0) return false;
  std::ifstream file("/sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" +
                     std::to_string(minor(status.st_dev)) + "/loop/backing_file");
  std::string backing;
  if (!std::getline(file, backing)) return false;
  std::error_code error;
  return fs::canonical(image, error).string() == backing && !error;
}

}  // namespace mlprof::server::docker
