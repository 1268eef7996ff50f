// A file that is there whole or not at all: written under another name beside it, and renamed.
#pragma once

#include <filesystem>

#include "common/result/result.h"

namespace mlprof::client::cli {

class PartFile {
 public:
  /// Of `file`: "FILE.part", which nothing has made yet.
  explicit PartFile(std::filesystem::path file);
  /// Removes what was not kept.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return part_; }
  /// Gives it its name, in place of a file that has it.
  Status Keep();

 private:
  const std::filesystem::path file_;
  const std::filesystem::path part_;
};

}  // namespace mlprof::client::cli
