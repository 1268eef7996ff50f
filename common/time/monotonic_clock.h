// The clock of everything that is measured: CLOCK_MONOTONIC, which the agent reads too (one kernel,
// one clock). An interface, so that tests can let time pass without waiting for it. Thread-safe.
#pragma once

#include <chrono>

namespace mlprof {

class MonotonicClock {
 public:
  virtual ~MonotonicClock() = default;
  virtual std::chrono::nanoseconds Now() const = 0;
  /// Returns once Now() is `when` or later, as close after it as the machine can.
  virtual void SleepUntil(std::chrono::nanoseconds when) const = 0;

  static const MonotonicClock& System();
};

}  // namespace mlprof
