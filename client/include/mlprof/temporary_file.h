// An empty file of our own under TMPDIR, removed with the object.
#pragma once

#include <filesystem>
#include <utility>

#include "common/result/result.h"

namespace mlprof::client {

class TemporaryFile {
 public:
  static Result<TemporaryFile> Create();
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFile& operator=(TemporaryFile&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace mlprof::client
