// Disk space that is kept for the moment when there is none left: a file of real blocks, given up
// so that what must be recorded then can be.
#pragma once

#include <filesystem>
#include <mutex>

#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof {

/// Thread-safe. Of a process that ends, the file stays: the next one finds it.
class ReserveFile {
 public:
  /// Nothing is taken yet.
  ReserveFile(std::filesystem::path file, Bytes size) : file_(std::move(file)), size_(size) {}

  /// Takes the blocks where they are not taken; kUnavailable while the disk has no room for them
  /// and as much again. Cheap to ask again and again.
  Status Restore();
  /// Gives the blocks back to the disk. True where there were any.
  bool Release();

 private:
  const std::filesystem::path file_;
  const Bytes size_;
  std::mutex mutex_;
};

/// 64 MiB, and a hundredth of a small disk.
Bytes ReserveFor(const std::filesystem::path& folder);

}  // namespace mlprof
