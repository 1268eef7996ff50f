// Carries bytes between two connected stream sockets until the connection is over.
#pragma once

#include <chrono>
#include <stop_token>

namespace mlprof {

enum class PumpWays {
  kBoth,     // each end that is closed is closed on the other side, too
  kToFirst,  // from the second to the first alone; a byte from the first ends it
};

/// Returns when there is nothing more to carry, an end is gone, nothing came for `idle`, or by
/// `stop` within a quarter of a second. Makes both sockets non-blocking; closes neither.
void PumpBytes(int first, int second, PumpWays ways, std::chrono::milliseconds idle,
               std::stop_token stop = {});

}  // namespace mlprof
