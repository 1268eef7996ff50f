#include "common/text/shortest.h"

#include <array>
#include <charconv>

namespace mlprof {

std::string Shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

}  // namespace mlprof
