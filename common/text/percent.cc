#include "common/text/percent.h"

#include <algorithm>
#include <cstddef>

#include "common/text/ascii.h"
#include "common/text/utf8.h"

namespace mlprof {
namespace {

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) { return IsAlnum(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = HexValue(text[i + 1]);
    const int low = HexValue(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (FirstInvalidUtf8(decoded)) return std::nullopt;
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kHex[byte >> 4], kHex[byte & 0xF]};
  }
  return encoded;
}

std::string PercentEncodePath(std::string_view path) {
  std::string encoded;
  for (;;) {
    const std::size_t slash = path.find('/');
    encoded += PercentEncode(path.substr(0, slash));
    if (slash == std::string_view::npos) return encoded;
    encoded += '/';
    path.remove_prefix(slash + 1);
  }
}

std::optional<QueryFields> ParseQuery(std::string_view query) {
  QueryFields fields;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    std::string field(query.substr(0, end));
    query.remove_prefix(std::min(end + 1, query.size()));
    if (field.empty()) continue;
    std::replace(field.begin(), field.end(), '+', ' ');
    const std::size_t equals = std::min(field.find('='), field.size());
    auto name = PercentDecode(std::string_view(field).substr(0, equals));
    auto value = PercentDecode(std::string_view(field).substr(std::min(equals + 1, field.size())));
    if (!name || !value) return std::nullopt;
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

}  // namespace mlprof
