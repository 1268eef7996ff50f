// What an agent's clock shows beside this machine's: the same on one machine, anything on two.
// Pure.
#pragma once

#include <chrono>
#include <span>

namespace mlprof::server {

/// One probe and its reading.
struct ClockExchange {
  std::chrono::nanoseconds asked;      // here
  std::chrono::nanoseconds read;       // at the agent, some time between the two
  std::chrono::nanoseconds responded;  // here
};

struct ClockOffset {
  std::chrono::nanoseconds ahead{0};  // the agent's clock of this one
  std::chrono::nanoseconds error{0};  // of `ahead`, at most

  /// A time of the agent's on this machine's clock.
  std::chrono::nanoseconds Here(std::chrono::nanoseconds there) const { return there - ahead; }
  /// The other way round.
  std::chrono::nanoseconds There(std::chrono::nanoseconds here) const { return here + ahead; }
};

/// Uses the fastest exchange. The agent's reading is taken to lie in the middle of it, so at most
/// half of its time can be wrong. An offset within that error counts as none: on one machine
/// nothing is ever shifted. Without an exchange the offset is zero.
ClockOffset EstimateClockOffset(std::span<const ClockExchange> exchanges);

}  // namespace mlprof::server
