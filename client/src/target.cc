#include "client/src/target.h"

namespace mlprof {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

Target& Target::Segment(std::string_view segment) {
  path_ += '/';
  path_ += PercentEncode(segment);
  return *this;
}

Target& Target::Query(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  if (!query_.empty()) query_ += '&';
  query_ += PercentEncode(key) + "=" + PercentEncode(value);
  return *this;
}

}  // namespace mlprof
