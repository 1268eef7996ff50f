// Rows read from their packed file (packed_rows.h) when they are needed, and the index that says
// where each lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/domain/row_source.h"

namespace mlprof::server {

/// Reads the file once: its SHA-256 must be `sha256`, and where its rows lie is kept. The file must
/// not change while the source lives. kInternal where it does not have that digest, kCancelled at
/// the stop. What is read later is not compared with the digest again; a row whose length has
/// changed is kInternal.
Result<std::unique_ptr<RowSource>> OpenPackedRows(const std::filesystem::path& file,
                                                  const std::string& sha256,
                                                  const std::stop_token& stop = {});

/// Where each row of a packed file lies: four bytes a row and a little. A value.
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
