#include "agent/copy_tree/copy_file.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/os/unique_fd.h"

namespace mlprof::agent {
namespace {

constexpr off_t kPiece = 1 << 20;

// Copies the bytes from `begin` to `end` to the same place of the other file.
bool CopyRange(int from, int to, off_t begin, off_t end) {
  if (::lseek(to, begin, SEEK_SET) < 0) return false;
  while (begin < end) {
    const auto want = static_cast<std::size_t>(std::min(kPiece, end - begin));
    const ssize_t count = ::sendfile(to, from, &begin, want);
    if (count == 0) return true;  // it became shorter
    if (count < 0 && errno != EINTR) return false;
  }
  return true;
}

// 0 or errno.
int CopyContent(int from, int to, off_t size) {
  off_t at = 0;
  while (at < size) {
    const off_t data = ::lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // a hole to the end
    if (data < 0) return errno;
    const off_t hole = ::lseek(from, data, SEEK_HOLE);
    if (hole < 0) return errno;
    if (!CopyRange(from, to, data, std::min(hole, size))) return errno;
    at = hole;
  }
  // Most files do not end in a hole: what was written last has given them their size already.
  if (::lseek(to, 0, SEEK_CUR) == size) return 0;
  return ::ftruncate(to, size) == 0 ? 0 : errno;
}

}  // namespace

Status GiveRights(int fd, const struct stat& status, const std::string& path) {
  const timespec times[2] = {status.st_atim, status.st_mtim};
  if (::fchmod(fd, status.st_mode & 0777) != 0 || ::futimens(fd, times) != 0) {
    return Fail(FromErrno(errno, "cannot give rights to " + path));
  }
  return {};
}

Status CopyFile(const NamedIn& from, const NamedIn& to, const struct stat& status,
                const std::string& path) {
  // Without O_NONBLOCK, a file that was replaced by a named pipe meanwhile would block the open.
  constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  constexpr int kWrite = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd source(::openat(from.folder, from.name.c_str(), kRead));
  if (!source) return Fail(FromErrno(errno, "cannot read " + path));
  struct stat now {};
  if (::fstat(source.get(), &now) != 0 || !S_ISREG(now.st_mode)) {
    return Fail(InvalidArgument(path + " changed while it was copied"));
  }
  ::unlinkat(to.folder, to.name.c_str(), 0);
  const UniqueFd made(::openat(to.folder, to.name.c_str(), kWrite, 0600));
  if (!made) return Fail(FromErrno(errno, "cannot make " + path));
  // As many bytes as were counted against the bound, even if the file has grown since.
  if (const int error = CopyContent(source.get(), made.get(), status.st_size); error != 0) {
    return Fail(FromErrno(error, "cannot copy " + path));
  }
  return GiveRights(made.get(), status, path);
}

}  // namespace mlprof::agent
