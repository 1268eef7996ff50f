#include "server/registry/row_survey.h"

#include <algorithm>
#include <functional>

#include "common/text/utf8.h"
#include "server/registry/header_row.h"

namespace mlprof::server {

void RowSurvey::Add(std::string_view row) {
  size_ += Bytes(std::ssize(row));
  hashes_.push_back(std::hash<std::string_view>()(row));
  if (first_.size() < kHeaderRowsSeen) first_.emplace_back(row.substr(0, kHeaderBytesSeen));
  if (form_ == RowForm::kBinary) return;
  if (FirstInvalidUtf8(row)) {
    form_ = RowForm::kBinary;
  } else if (row.find('\n') != std::string_view::npos) {
    form_ = RowForm::kMultiLine;
  }
}

void RowSurvey::Describe(Dataset& dataset) {
  dataset.row_count = std::ssize(hashes_);
  std::sort(hashes_.begin(), hashes_.end());
  dataset.distinct_row_count = std::unique(hashes_.begin(), hashes_.end()) - hashes_.begin();
  dataset.size = size_;
  dataset.form = form_;
}

std::string RowSurvey::HeaderLike() const { return HeaderLikeRow(first_); }

}  // namespace mlprof::server
