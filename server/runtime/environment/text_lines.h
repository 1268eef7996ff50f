// The few things line-oriented configuration files have in common. Pure.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/text/ascii.h"

namespace mlprof::server::environment {

inline std::string_view Trimmed(std::string_view text) { return Trim(text, " \t\r\n"); }

/// Nothing but letters and digits of ASCII and the characters of `more`.
inline bool ConsistsOfAlnumOr(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return IsAlnum(c) || more.find(c) != std::string_view::npos; });
}

/// Without its '\n's; a last line needs none.
inline std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// A '#' begins a comment at the start of a line and after a blank.
inline std::string_view WithoutComment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

}  // namespace mlprof::server::environment
