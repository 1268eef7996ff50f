// An advisory lock on a file (flock), held until the object goes; the kernel lets go of it when the
// process ends, however that happens.
#pragma once

#include <filesystem>
#include <utility>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::client::cli {

enum class LockKind { kShared, kExclusive };

class FileLock {
 public:
  /// Creates the file (0600) where needed. kDeadlineExceeded where another keeps it.
  static Result<FileLock> Take(const std::filesystem::path& file, LockKind kind,
                               const Deadline& deadline);
  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace mlprof::client::cli
