// The SHA-256 of a file as it lies on the disk, and which files of the content store were found to
// have theirs. Thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "common/result/result.h"

namespace mlprof::server {

/// 64 lower-case hex digits. kCancelled at the stop; kInternal for a file that cannot be read.
Result<std::string> FileDigest(const std::filesystem::path& file, const std::stop_token& stop = {});

/// Whether a text is such a digest: what names content is checked before it becomes a path.
bool IsDigest(const std::string& text);

/// A file as it lies there now.
struct FileFacts {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileFacts&) const = default;
};

/// Nothing where it cannot be asked.
std::optional<FileFacts> FactsOf(const std::filesystem::path& file);

/// Which files of the content store were read and had their digest, so that a download does not
/// read them once more. A file is known by its inode, size and times: one that was written or
/// replaced is looked at again. In memory: every start looks anew. Thread-safe.
class KnownFiles {
 public:
  bool Knows(const std::string& sha256, const FileFacts& facts) const;
  /// `facts` were taken before the file was read, at the time `began_ns` (as its times are).
  void Remember(const std::string& sha256, const FileFacts& facts, std::int64_t began_ns);

  /// One file is read at a time, so that downloads do not take all of the disk and the cores.
  /// kUnavailable where another's turn takes longer than `most`.
  Result<std::unique_lock<std::timed_mutex>> Turn(
      std::chrono::milliseconds most = std::chrono::seconds(5));

 private:
  mutable std::mutex mutex_;
  std::map<std::string, FileFacts> known_;
  std::timed_mutex turn_;
};

}  // namespace mlprof::server
