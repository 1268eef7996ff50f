// What an agent's clock shows beside this machine's: the same on one machine, anything on two.
// Pure.
#pragma once

#include <chrono>
#include <span>

namespace mlprof {

/// One question and its answer.
struct ClockExchange {
  std::chrono::nanoseconds asked;     // here
  std::chrono::nanoseconds read;      // at the agent, some time between the two
  std::chrono::nanoseconds answered;  // here
};

struct ClockOffset {
  std::chrono::nanoseconds ahead{0};  // the agent's clock of this one
  std::chrono::nanoseconds error{0};  // of `ahead`, at most

  /// A time of the agent's on this machine's clock.
  std::chrono::nanoseconds Here(std::chrono::nanoseconds there) const { return there - ahead; }
};

/// Of the exchange that took least: what it took is the most that can be wrong, half of it with the
/// reading taken for its middle. A distance within that error is none, so that one machine's clock
/// is never moved. Nothing without an exchange.
ClockOffset EstimateClockOffset(std::span<const ClockExchange> exchanges);

}  // namespace mlprof
