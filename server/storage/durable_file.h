// File calls that either reached the disk or say so.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "common/result/result.h"

namespace mlprof::server {

/// Owns a descriptor; -1 is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    Close();
    fd_ = other.Release();
    return *this;
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  void Close();
  int fd_;
};

/// Removes a file or a folder when it goes, unless that was moved away before.
class RemovedAtEnd {
 public:
  explicit RemovedAtEnd(std::filesystem::path path) : path_(std::move(path)) {}
  ~RemovedAtEnd();
  RemovedAtEnd(RemovedAtEnd&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  RemovedAtEnd& operator=(RemovedAtEnd&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// All of `bytes`, or an error (kUnavailable when the disk is full).
Status WriteAll(int fd, std::string_view bytes);
/// fsync of a file or a directory.
Status SyncPath(const std::filesystem::path& path);
/// rename(2), then fsync of the directory it went to.
Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace mlprof::server
