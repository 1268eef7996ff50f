#include "server/runtime/docker/disk/loop_device.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;

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
