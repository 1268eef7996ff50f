// Writes a tar of regular files and folders: POSIX ustar, with a pax record before an entry whose
// path or size does not fit. Owner, group and time are 0, so that the same entries give the same
// bytes. Versions of models are known by those bytes: they must stay as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/result/result.h"
#include "common/tar/byte_source.h"

namespace mlprof {

/// A path of more than 100 bytes.
enum class LongPaths {
  kSplit,  // cut at a slash where both parts fit the header; else as kInPax
  kInPax,  // always in a pax record
};

struct TarEntry {
  std::string path;  // relative, '/' between parts, none at the end
  bool executable = false;
  std::int64_t size = 0;  // bytes of its content
};

class TarWriter {
 public:
  /// Takes the tar's bytes, piece by piece.
  using Output = std::function<Status(std::string_view)>;

  TarWriter(LongPaths long_paths, Output output)
      : long_paths_(long_paths), output_(std::move(output)) {}

  Status AddFolder(const std::string& path);
  /// Reads no further than the entry's size. kInternal where `content` ends before; the errors of
  /// the output and of `content` as they are.
  Status AddFile(const TarEntry& entry, ByteSource& content);
  /// After the last entry.
  Status Finish();

 private:
  Status Header(const TarEntry& entry, char type);

  LongPaths long_paths_;
  Output output_;
};

}  // namespace mlprof
