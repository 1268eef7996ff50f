#include "server/registry/row_index.h"

namespace mlprof::server {
namespace {

// One eight-byte mark for so many rows adds an eighth of a byte to each row's four; finding a row
// sums up at most so many lengths.
constexpr std::size_t kStride = 64;
constexpr std::int64_t kLengthBytes = 4;

}  // namespace

void RowIndex::Add(std::uint32_t bytes) {
  if (sizes_.size() % kStride == 0) marks_.push_back(end_);
  sizes_.push_back(bytes);
  end_ += kLengthBytes + bytes;
}

std::int64_t RowIndex::OffsetOf(std::size_t row) const {
  const std::size_t mark = row / kStride;
  std::int64_t offset = marks_[mark];
  for (std::size_t before = mark * kStride; before < row; ++before) {
    offset += kLengthBytes + sizes_[before];
  }
  return offset;
}

}  // namespace mlprof::server
