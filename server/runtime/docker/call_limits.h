// How long one call of the engine may take that does no long work: it answers in milliseconds, and
// in seconds on a machine that swaps.
#pragma once

#include <chrono>

namespace mlprof::docker {

inline constexpr std::chrono::seconds kCallLimit{30};
/// To end what must not go on. Another call removes what this one leaves.
inline constexpr std::chrono::seconds kKillLimit{5};

}  // namespace mlprof::docker
