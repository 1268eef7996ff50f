#include "server/registry/content_guid.h"

#include "common/text/ascii.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kGuidSize = 36;

bool IsDashPlace(std::size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

}  // namespace

std::string ContentGuid(std::string_view sha256) {
  std::string guid;
  for (const char digit : sha256.substr(0, 32)) {
    if (IsDashPlace(guid.size())) guid += '-';
    guid += digit;
  }
  return guid;
}

std::optional<std::string> DigestPrefix(std::string_view guid) {
  if (guid.size() != kGuidSize) return std::nullopt;
  std::string digits;
  for (std::size_t i = 0; i < guid.size(); ++i) {
    const char c = guid[i];
    if (IsDashPlace(i) != (c == '-')) return std::nullopt;
    if (c == '-') continue;
    const char lower = Lowercase(c);
    const bool hex = IsDigit(lower) || (lower >= 'a' && lower <= 'f');
    if (!hex) return std::nullopt;
    digits += lower;
  }
  return digits;
}

}  // namespace mlprof::server
