// printf into a std::string, for the sentences that verdicts and notes are made of. Pure.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace mlprof::server {

/// At most 511 bytes; longer text is cut.
template <class... Values>
std::string Sentence(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace mlprof::server
