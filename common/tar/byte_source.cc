#include "common/tar/byte_source.h"

namespace mlprof {

Result<std::size_t> ReadFully(ByteSource& source, std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const auto got = source.Read(buffer.subspan(filled));
    if (!got) return got;
    if (*got == 0) break;
    filled += *got;
  }
  return filled;
}

}  // namespace mlprof
