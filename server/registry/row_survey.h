// What is said of a dataset's rows, as they pass: eight bytes are kept of each. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/dataset.h"

namespace mlprof::server {

class RowSurvey {
 public:
  void Add(std::string_view row);

  /// Sets the counts, the size and the form. Call it once, at the end.
  void Describe(Dataset& dataset);
  /// See header_row.h.
  std::string HeaderLike() const;

 private:
  Bytes size_;
  RowForm form_ = RowForm::kLines;
  // Distinct rows are counted by 64-bit hashes: of ten million datasets of two million rows each,
  // one has two different rows with one hash (n²/2 by 2^-64).
  std::vector<std::size_t> hashes_;
  Rows first_;  // the beginnings of the first
};

}  // namespace mlprof::server
