#include "server/analysis/allocation_failure/text_scan.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mlprof::server {
namespace {

constexpr std::size_t kLongestWord = 300;
constexpr double kMostBytes = 9e18;  // of what a signed count holds

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<double> Factor(char unit) {
  switch (unit) {
    case 'K':
    case 'k': return 0x1p10;
    case 'M': return 0x1p20;
    case 'G': return 0x1p30;
    case 'T': return 0x1p40;
    default: return std::nullopt;
  }
}

}  // namespace

bool TextScan::Skip(std::string_view words) {
  if (!left_.starts_with(words)) return false;
  left_.remove_prefix(words.size());
  return true;
}

bool TextScan::SkipTo(std::string_view words) {
  return SkipTo(words, std::min(left_.find('\n'), left_.size()));
}

bool TextScan::SkipTo(std::string_view words, std::size_t most) {
  const std::size_t at = left_.substr(0, most).find(words);
  if (at == std::string_view::npos) return false;
  left_.remove_prefix(at + words.size());
  return true;
}

std::string_view TextScan::Until(std::string_view ends) {
  std::size_t length = 0;
  while (length < std::min(left_.size(), kLongestWord) && left_[length] != '\n' &&
         ends.find(left_[length]) == std::string_view::npos) {
    ++length;
  }
  const std::string_view read = left_.substr(0, length);
  left_.remove_prefix(length);
  return read;
}

std::string_view TextScan::Line() {
  const std::string_view line = left_.substr(0, left_.find('\n'));
  left_.remove_prefix(line.size());
  Skip("\n");
  return line;
}

std::optional<std::int64_t> TextScan::Integer() {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
  if (error != std::errc()) return std::nullopt;
  left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
  return value;
}

std::optional<Bytes> TextScan::Size() {
  TextScan at = *this;
  if (at.left_.empty() || !IsDigit(at.left_.front())) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(at.left_.data(), at.left_.data() + at.left_.size(),
                                            value, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  at.left_.remove_prefix(static_cast<std::size_t>(end - at.left_.data()));
  TextScan unit = at;
  unit.Skip(" ");
  const auto factor = unit.left_.empty() ? std::nullopt : Factor(unit.left_.front());
  if (factor) {
    value *= *factor;
    unit.left_.remove_prefix(1);
    unit.Skip("i");
    unit.Skip("B");
    at = unit;
  } else if (unit.Skip("bytes") || unit.Skip("Bytes") || unit.Skip("B")) {
    at = unit;
  }
  if (!(value >= 0 && value < kMostBytes)) return std::nullopt;
  *this = at;
  return Bytes(std::llround(value));
}

std::string_view LineAt(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return text.substr(begin, std::min(text.find('\n', at), text.size()) - begin);
}

}  // namespace mlprof::server
