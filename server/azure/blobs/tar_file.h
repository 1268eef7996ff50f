// Tars of stored files: made by the server, and unpacked.
#pragma once

#include <filesystem>
#include <string>

#include "common/result/result.h"
#include "common/tar/tar_writer.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {

/// A tar that the server makes: the same bytes for the same files, whatever their times, owners or
/// modes.
class TarFile {
 public:
  /// Makes `file`, which must not be there.
  static Result<TarFile> Create(const std::filesystem::path& file);

  /// `name` is a relative path. kTooLarge for more in all than an archive may hold that is read
  /// again.
  Status AddFile(const std::string& name, const std::filesystem::path& content);
  /// Every regular file below `folder`, in the order of their names.
  Status AddTree(const std::filesystem::path& folder);
  /// After the last one.
  Status Finish();

 private:
  explicit TarFile(FileDescriptor file) : file_(std::move(file)) {}
  TarWriter Writer();

  FileDescriptor file_;
  std::int64_t total_ = 0;
};

/// Unpacks a stored tar (gzip or not) into a folder, by the rules every upload is held to. Makes
/// `folder`, which must not be there. Errors as of ReadTar (common/tar/tar_reader.h).
Status UnpackInto(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace mlprof::server
