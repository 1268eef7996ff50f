#include "server/storage/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace mlprof::server {

void FileDescriptor::Close() {
  if (fd_ >= 0) close(fd_);
}

RemovedAtEnd::~RemovedAtEnd() {
  std::error_code ignored;  // what cannot be removed now is removed at the next start
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Fail(FromErrno(errno, "writing a file"));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status SyncPath(const std::filesystem::path& path) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd || fsync(fd.get()) != 0) return Fail(FromErrno(errno, "fsync of " + path.string()));
  return {};
}

Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    return Fail(FromErrno(errno, "renaming " + from.string() + " to " + to.string()));
  }
  return SyncPath(to.parent_path());
}

}  // namespace mlprof::server
