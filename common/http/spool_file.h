// A request body on its way to disk: a fresh 0600 file in a directory, hashed as it is written.
// Blocking; one thread at a time. The file is deleted with the object unless Finish was called.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "common/hash/sha256.h"
#include "common/http/message.h"
#include "common/result/result.h"

namespace mlprof {

class SpoolFile {
 public:
  /// kUnavailable where the disk is full, else kInternal; so for Append and Finish.
  static Result<std::unique_ptr<SpoolFile>> Create(const std::filesystem::path& directory);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  Status Append(std::string_view bytes);
  /// Closes the file and hands it over. Not synced to disk: that is for whoever keeps it.
  Result<SpooledBody> Finish();

 private:
  SpoolFile(int descriptor, std::filesystem::path path);

  int descriptor_;
  std::shared_ptr<const std::filesystem::path> path_;  // deleting it removes the file
  Bytes size_;
  Sha256 sha256_;
};

}  // namespace mlprof
