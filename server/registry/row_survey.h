// What is said of a dataset's rows, as they pass, and whether the first looks like a header. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/dataset.h"
#include "common/domain/warning.h"

namespace mlprof::server {

/// Is shown every row; eight bytes are kept of each.
class RowSurvey {
 public:
  void Add(std::string_view row);

  /// Sets the counts, the size and the form. Call it once, at the end.
  void Describe(Dataset& dataset);
  /// As of HeaderLikeRow.
  std::string HeaderLike() const;

 private:
  Bytes size_;
  RowForm form_ = RowForm::kLines;
  // Distinct rows are counted by 64-bit hashes: of ten million datasets of two million rows each,
  // one has two different rows with one hash (n²/2 by 2^-64).
  std::vector<std::size_t> hashes_;
  Rows first_;  // the beginnings of the first
};

// Rows whose first may be a column's name that was never meant for the model.

/// How many of the first rows are looked at, and how many bytes of each: the row that may be a
/// header with a hundred after it, and one byte more than the longest name of a column that is
/// believed. Chosen, not measured.
inline constexpr std::size_t kHeaderRowsSeen = 101;
inline constexpr std::size_t kHeaderBytesSeen = 65;

/// The first row, where it looks like a header: it is one bare word as columns are called
/// ("review_text"), and none of the next hundred rows is. "" where it does not.
std::string HeaderLikeRow(const Rows& rows);

/// What is told of it: the row is kept, and sent to the model like every other.
Warning HeaderWarning(const std::string& row);

}  // namespace mlprof::server
