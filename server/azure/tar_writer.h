// Writes a tar of regular files (ustar, with pax headers for long names), the same bytes for the
// same files: no times, owners or modes of theirs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/result/result.h"
#include "server/storage/durable_file.h"

namespace mlprof {

class TarWriter {
 public:
  /// Makes `file`, which must not be there.
  static Result<TarWriter> Create(const std::filesystem::path& file);

  /// `name` is a relative path. kTooLarge for a file of 8 GiB and more.
  Status AddFile(const std::string& name, const std::filesystem::path& content);
  Status AddText(const std::string& name, std::string_view content);
  /// Every regular file below `folder`, in the order of their names.
  Status AddTree(const std::filesystem::path& folder);
  /// After the last one.
  Status Finish();

 private:
  explicit TarWriter(FileDescriptor file) : file_(std::move(file)) {}
  Status Header(const std::string& name, std::int64_t size);
  Status Block(std::string_view name, std::int64_t size, char type);
  Status Pad(std::int64_t size);

  FileDescriptor file_;
};

}  // namespace mlprof
