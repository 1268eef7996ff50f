// Where each row of a packed file lies: four bytes a row and a little. A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlprof::server {

class RowIndex {
 public:
  /// `begin`: the offset of the first row's length.
  explicit RowIndex(std::int64_t begin) : end_(begin) {}

  /// The next row of the file holds so many bytes.
  void Add(std::uint32_t bytes);

  std::size_t count() const { return sizes_.size(); }
  std::uint32_t SizeOf(std::size_t row) const { return sizes_[row]; }
  /// Of the row's length, which its bytes follow.
  std::int64_t OffsetOf(std::size_t row) const;

 private:
  std::vector<std::uint32_t> sizes_;
  std::vector<std::int64_t> marks_;  // the offset of every kStride-th row
  std::int64_t end_;
};

}  // namespace mlprof::server
