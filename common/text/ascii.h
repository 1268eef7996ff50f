// Text as ASCII, whatever the locale says: letters and digits, upper and lower case, blanks at the
// ends. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mlprof {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAlnum(char c) { return IsLetter(c) || IsDigit(c); }

constexpr char Lowercase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
std::string Lowercase(std::string_view text);

/// As HTTP compares names.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

/// Without spaces and tabs, or the characters of `of`, at both ends.
inline std::string_view Trim(std::string_view text, std::string_view of = " \t") {
  const std::size_t first = text.find_first_not_of(of);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(of) - first + 1);
}

}  // namespace mlprof
