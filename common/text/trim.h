// Pure.
#pragma once

#include <string_view>

namespace mlprof {

/// Without spaces and tabs, or the characters of `of`, at both ends.
inline std::string_view Trim(std::string_view text, std::string_view of = " \t") {
  const std::size_t first = text.find_first_not_of(of);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(of) - first + 1);
}

}  // namespace mlprof
