// Where an archive's bytes come from, piece by piece.
#pragma once

#include <cstddef>
#include <span>

#include "common/result/result.h"

namespace mlprof {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// How many bytes it put into `buffer`, which is not empty; 0 at the end and only there.
  virtual Result<std::size_t> Read(std::span<char> buffer) = 0;
};

/// Fills `buffer` as far as the source reaches: less than its size only at the end.
Result<std::size_t> ReadFully(ByteSource& source, std::span<char> buffer);

}  // namespace mlprof
