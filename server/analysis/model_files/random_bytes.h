// A file's bytes, read where they are asked for. The effect behind the readers of model files.
#pragma once

#include <cstdint>
#include <span>

#include "common/result/result.h"

namespace mlprof::server {

class RandomBytes {
 public:
  virtual ~RandomBytes() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `into` from `offset` on; the caller stays within size().
  virtual Status Read(std::uint64_t offset, std::span<char> into) = 0;
};

}  // namespace mlprof::server
