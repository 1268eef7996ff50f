#include "common/text/ascii.h"

#include <algorithm>

namespace mlprof {

std::string Lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lowercase(c);
  return lower;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lowercase(x) == Lowercase(y); });
}

}  // namespace mlprof
