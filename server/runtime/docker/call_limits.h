// How long one call of the engine may take that does no long work: it answers in milliseconds, and
// in seconds on a machine that swaps.
#pragma once

#include <chrono>

namespace mlprof::server::docker {

inline constexpr std::chrono::seconds kCallLimit{30};
/// For calls that end what must not go on; what they do not end is removed by a later call.
inline constexpr std::chrono::seconds kKillLimit{5};

}  // namespace mlprof::server::docker
