#include "server/registry/row_survey.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "common/text/ascii.h"
#include "common/text/utf8.h"

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

namespace {

constexpr std::size_t kLongestWord = kHeaderBytesSeen - 1;
constexpr std::ptrdiff_t kRowsLookedAt = kHeaderRowsSeen - 1;

// In UTF-8 the letters beyond ASCII are bytes with the highest bit set: they count as letters.
bool BeginsWords(char c) { return IsLetter(c) || c == '_' || (c & 0x80) != 0; }

bool IsJsonWord(std::string_view row) { return row == "true" || row == "false" || row == "null"; }

// What a column may be called. Numbers, JSON, sentences and the like are no such words.
bool IsBareWord(std::string_view row) {
  if (row.empty() || row.size() > kLongestWord || !BeginsWords(row.front())) return false;
  return !IsJsonWord(row) && !FirstInvalidUtf8(row) &&
         std::all_of(row.begin(), row.end(),
                     [](char c) { return BeginsWords(c) || IsDigit(c) || c == '-' || c == '.'; });
}

}  // namespace

std::string HeaderLikeRow(const Rows& rows) {
  if (rows.size() < 2 || !IsBareWord(rows.front())) return "";
  const auto first = rows.begin() + 1;
  const auto last = first + std::min(rows.end() - first, kRowsLookedAt);
  return std::any_of(first, last, IsBareWord) ? "" : rows.front();
}

Warning HeaderWarning(const std::string& row) {
  return {"looksLikeHeader",
          "the first row, \"" + row + "\", looks like a header, and is sent as a request",
          "if it is a header, register the file without it: --header present on the command line, "
          "header=True in Python, text/csv;header=present over REST; --header none says that it is "
          "none"};
}

}  // namespace mlprof::server
