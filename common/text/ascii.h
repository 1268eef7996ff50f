// Letters and digits of ASCII, whatever the locale says. Pure.
#pragma once

namespace mlprof {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAlnum(char c) { return IsLetter(c) || IsDigit(c); }

}  // namespace mlprof
