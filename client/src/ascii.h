// Letters of ASCII, whatever the locale says.
#pragma once

#include <string>
#include <string_view>

namespace mlprof {

constexpr char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = LowerAscii(c);
  return out;
}

}  // namespace mlprof
