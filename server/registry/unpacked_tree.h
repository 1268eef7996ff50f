// The folder that an archive unpacks to: written entry by entry, or compared entry by entry with
// one that was written before.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/tar/tar_reader.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {

/// Writes an archive's entries into a folder of its own. Every step goes from an open directory to
/// the next by a name without following links, so nothing can be written outside. Directories get
/// 0755 and files 0644, whatever the umask; all of it is fsynced.
class TreeWriter : public TarSink {
 public:
  /// Makes `root`, which must not be there.
  static Result<TreeWriter> Create(const std::filesystem::path& root);

  Status MakeDirectory(const std::string& path) override;
  Status BeginFile(const std::string& path) override;
  Status Write(std::span<const char> bytes) override;
  Status EndFile() override;
  /// After the last entry: fsyncs the directories.
  Status Finish();

 private:
  explicit TreeWriter(FileDescriptor root) : root_(std::move(root)) {}
  /// The directory an entry goes into; `name` becomes its last component.
  Result<const FileDescriptor*> OpenParent(const std::string& path, std::string& name);

  FileDescriptor root_;
  FileDescriptor file_;
  std::string file_path_;
  // The last parent, kept open: entries of one folder mostly follow each other.
  std::string parent_path_;
  FileDescriptor parent_;
  std::vector<std::string> directories_;
};

/// Compares an archive's entries with a folder they were unpacked to before.
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
