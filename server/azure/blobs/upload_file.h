// A file made by the server itself, as the registries take uploads: gone with its last copy unless
// a registry moved it away.
#pragma once

#include <filesystem>
#include <memory>

#include "common/http/message.h"

namespace mlprof::server {

inline SpooledBody AsUpload(const std::filesystem::path& file) {
  const auto remove = [](const std::filesystem::path* path) {
    std::error_code ignored;
    std::filesystem::remove(*path, ignored);
    delete path;
  };
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return {std::shared_ptr<const std::filesystem::path>(new std::filesystem::path(file), remove),
          Bytes(error ? 0 : static_cast<std::int64_t>(size)), ""};
}

/// A stored file that stays where it is.
inline SpooledBody AsKept(const std::filesystem::path& file, Bytes size,
                          const std::string& sha256) {
  return {std::make_shared<const std::filesystem::path>(file), size, sha256};
}

}  // namespace mlprof::server
