// Sources of bytes: files, and others that are watched as they are read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "common/hash/sha256.h"
#include "common/result/result.h"
#include "common/tar/byte_source.h"
#include "common/units/bytes.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {

class FileSource : public ByteSource {
 public:
  static Result<std::unique_ptr<FileSource>> Open(const std::filesystem::path& file);
  Result<std::size_t> Read(std::span<char> buffer) override;

 private:
  explicit FileSource(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
};

/// Another source until the stop, then kCancelled.
class StoppableSource : public ByteSource {
 public:
  /// `inner` must outlive this.
  StoppableSource(ByteSource& inner, std::stop_token stop)
      : inner_(inner), stop_(std::move(stop)) {}
  Result<std::size_t> Read(std::span<char> buffer) override;

 private:
  ByteSource& inner_;
  const std::stop_token stop_;
};

/// All of a file. kTooLarge, which names it as `what`, for more than `most`.
Result<std::string> ReadWholeFile(const std::filesystem::path& file, Bytes most,
                                  const std::string& what);

/// Passes bytes on, hashes them, and copies them to a file where one is given.
class RecordingSource : public ByteSource {
 public:
  /// `copy` is a descriptor to write to, or -1; it stays the caller's. `inner` must outlive this.
  RecordingSource(ByteSource& inner, int copy) : inner_(inner), copy_(copy) {}
  Result<std::size_t> Read(std::span<char> buffer) override;
  /// Hex SHA-256 of everything read so far; once.
  std::string Digest() { return sha_.Hex(); }

 private:
  ByteSource& inner_;
  int copy_;
  Sha256 sha_;
};

}  // namespace mlprof::server
