// How long a call may wait, as one value that is passed down: a Deadline, or a Patience, which ends
// too when the caller gives up.
#pragma once

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

#include "common/time/monotonic_clock.h"

namespace mlprof {

/// The moment after which a wait gives up, passed down by value instead of nested timeouts.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline After(Clock::duration wait) { return After(wait, MonotonicClock::System()); }
  /// On a clock of its own, which must outlive it: a run's whole time passes on the run's clock, so
  /// that a test can let minutes of it pass at once.
  static Deadline After(Clock::duration wait, const MonotonicClock& clock) {
    return {clock.Now() + wait, clock};
  }
  /// The earlier of this and `wait` from now.
  Deadline AtMost(Clock::duration wait) const {
    return {std::min(when_, clock_->Now() + wait), *clock_};
  }

  /// So much after this one.
  Deadline Later(Clock::duration by) const { return {when_ + by, *clock_}; }

  /// For waits of the standard library, which know the system's clock alone. On another clock it is
  /// as far away as if both went at one pace: who waits for it looks again at Passed() then.
  Clock::time_point when() const { return Clock::now() + Left(); }
  bool Passed() const { return clock_->Now() >= when_; }
  /// Never negative.
  Clock::duration Left() const { return std::max(Clock::duration::zero(), when_ - clock_->Now()); }
  std::chrono::milliseconds LeftMs() const {
    return std::chrono::ceil<std::chrono::milliseconds>(Left());
  }

 private:
  Deadline(std::chrono::nanoseconds when, const MonotonicClock& clock)
      : when_(when), clock_(&clock) {}

  std::chrono::nanoseconds when_;
  const MonotonicClock* clock_;
};

/// How long one call may wait: until its deadline, or until its caller gives up, whichever is
/// first. A deadline alone stands for a call that nobody gives up before.
struct Patience {
  Patience(Deadline until, std::stop_token given_up = {})
      : deadline(until), stop(std::move(given_up)) {}

  /// The same, but no longer than `wait` from now.
  Patience AtMost(Deadline::Clock::duration wait) const { return {deadline.AtMost(wait), stop}; }

  Deadline deadline;
  std::stop_token stop;
};

}  // namespace mlprof
