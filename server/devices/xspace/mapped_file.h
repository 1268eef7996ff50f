// A file as bytes in memory that the kernel reads when they are looked at, so that a trace of a GiB
// takes no GiB.
#pragma once

#include <filesystem>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::server {

/// The file must not shrink while it is mapped: only files that nobody writes are.
class MappedFile {
 public:
  static Result<MappedFile> Open(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, std::size_t size) : data_(data), size_(size) {}

  const char* data_;
  std::size_t size_;
};

}  // namespace mlprof::server
