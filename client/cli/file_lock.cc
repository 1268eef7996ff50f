#include "client/cli/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace mlprof::client::cli {

Result<FileLock> FileLock::Take(const std::filesystem::path& file, LockKind kind,
                                const Deadline& deadline) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Fail(FromErrno(errno, "cannot open " + file.string()));
  FileLock lock(fd);
  const int operation = (kind == LockKind::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  while (flock(fd, operation) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return Fail(FromErrno(errno, "cannot lock " + file.string()));
    }
    if (deadline.Passed()) {
      return Fail(DeadlineExceeded(file.string() + " stays locked by another program"));
    }
    std::this_thread::sleep_for(deadline.AtMost(std::chrono::milliseconds(50)).Left());
  }
  return lock;
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace mlprof::client::cli
