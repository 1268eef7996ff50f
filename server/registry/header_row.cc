#include "server/registry/header_row.h"

#include <algorithm>
#include <string_view>

#include "server/registry/text_checks.h"

namespace mlprof {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::ptrdiff_t kRowsLookedAt = 100;

bool IsLetter(char c) {
  // Bytes of letters beyond ASCII count as well.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

bool IsJsonWord(std::string_view row) { return row == "true" || row == "false" || row == "null"; }

// What a column may be called. Numbers, JSON, sentences and the like are no such words.
bool IsBareWord(std::string_view row) {
  if (row.empty() || row.size() > kLongestWord || !IsLetter(row.front())) return false;
  return !IsJsonWord(row) && !FirstInvalidUtf8(row) &&
         std::all_of(row.begin(), row.end(), [](char c) {
           return IsLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
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

}  // namespace mlprof
