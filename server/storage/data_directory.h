// The directory a server keeps everything in: private to its user (0700), and held by one server
// at a time through a lock the kernel releases whatever way the process ends.
#pragma once

#include <chrono>
#include <filesystem>

#include "common/result/result.h"

namespace mlprof::server {

class DataDirectory {
 public:
  /// Makes the directory where it is missing, sets the process's umask to 077, takes the lock and
  /// marks it as ours. kInvalidArgument, with nothing touched, for a folder of somebody else's.
  /// kUnavailable, naming the directory and the holder's pid, where another server has it, and
  /// still has it after `patience`: a private server may just be about to end.
  static Result<DataDirectory> Open(const std::filesystem::path& directory,
                                    std::chrono::milliseconds patience = std::chrono::seconds(3));
  ~DataDirectory();
  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;

  /// Absolute.
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path DatabaseFile() const { return path_ / "mlprof.db"; }

 private:
  DataDirectory(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;  // descriptor of DIR/lock, -1 once moved from
};

/// Refuses a data directory that has lost its database: kInternal, with what to do, where content
/// lies in the directory and the database that says whose it is has no byte or is not there: a new
/// one would know nothing of it.
Status RefuseLostDatabase(const DataDirectory& directory);

}  // namespace mlprof::server
