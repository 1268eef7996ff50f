// The words that verdicts and notes are made of: sentences, and limits within them. Pure.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "common/domain/limits.h"

namespace mlprof::server {

/// What to do about a host that was not quiet: the beginning of an advice.
inline constexpr const char* kWhenQuiet =
    "`mlprof profile rerun NAME --when-quiet` asks again once nothing else runs, or after an hour";

/// printf into a std::string. At most 511 bytes; longer text is cut.
template <class... Values>
std::string Sentence(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

/// "0.4 cores", "512 MiB".
std::string AmountText(const Amount& amount);

/// Limits as a sentence says them: "0.4 cores and 512 MiB", "1.0 cores, 2048 MiB and 2 x 6144 MiB
/// of device memory".
std::string LimitsText(const Limits& limits);

}  // namespace mlprof::server
