#include "common/os/reserve_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/os/unique_fd.h"

namespace mlprof {
namespace {

constexpr std::int64_t kStatBlock = 512;  // the unit of st_blocks
constexpr std::int64_t kShare = 100;      // a small disk gives a hundredth

}  // namespace

Bytes ReserveFor(const std::filesystem::path& folder) {
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0) return MiB(64);
  return std::min(MiB(64),
                  Bytes(static_cast<std::int64_t>(found.f_blocks * found.f_frsize) / kShare));
}

Status ReserveFile::Restore() {
  const std::lock_guard lock(mutex_);
  const UniqueFd file(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status {};
  struct statvfs disk {};
  if (!file || ::fstat(file.get(), &status) != 0 || ::fstatvfs(file.get(), &disk) != 0) {
    return Fail(FromErrno(errno, "cannot make " + file_.string()));
  }
  if (status.st_blocks * kStatBlock >= size_.count()) return {};
  // A reserve that took the last blocks would itself fill the disk.
  if (static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize) < 2 * size_.count()) {
    return Fail(Unavailable("the disk of " + file_.string() + " has no room for a reserve"));
  }
  const int error = ::posix_fallocate(file.get(), 0, size_.count());
  if (error == 0) return {};
  (void)::ftruncate(file.get(), 0);
  return Fail(FromErrno(error, "cannot reserve " + file_.string()));
}

bool ReserveFile::Release() {
  const std::lock_guard lock(mutex_);
  struct stat status {};
  if (::stat(file_.c_str(), &status) != 0 || status.st_blocks == 0) return false;
  return ::truncate(file_.c_str(), 0) == 0;
}

}  // namespace mlprof
