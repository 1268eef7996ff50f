#include "common/units/size_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace mlprof {

std::string SizeText(Bytes bytes) {
  std::array<char, 40> text{};
  if (bytes < MiB(1)) {
    std::snprintf(text.data(), text.size(), "%lld bytes", static_cast<long long>(bytes.count()));
    return text.data();
  }
  const bool small = bytes < GiB(1) && std::round(bytes.mib()) < 1024;
  const bool huge = bytes >= GiB(1024);
  const double size = small ? std::round(bytes.mib()) : bytes.gib() / (huge ? 1024 : 1);
  const double tenths = std::round(size * 10) / 10;
  const int digits = tenths == std::round(tenths) ? 0 : 1;
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, tenths,
                small ? "MiB" : (huge ? "TiB" : "GiB"));
  return text.data();
}

}  // namespace mlprof
