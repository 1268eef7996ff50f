// Compares an archive's entries with a folder they were unpacked to before.
#pragma once

#include <filesystem>
#include <string>

#include "common/tar/tar_reader.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {

class TreeComparison : public TarSink {
 public:
  explicit TreeComparison(std::filesystem::path root) : root_(std::move(root)) {}

  Status MakeDirectory(const std::string& path) override;
  Status BeginFile(const std::string& path) override;
  Status Write(std::span<const char> bytes) override;
  Status EndFile() override;

  /// After the last entry: whether the folder holds all of it, and nothing else.
  bool Same() const;

 private:
  const std::filesystem::path root_;
  FileDescriptor file_;
  std::string read_;
  std::int64_t entries_ = 0;
  bool same_ = true;
};

}  // namespace mlprof::server
