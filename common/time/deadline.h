// Deadline: the moment after which a wait gives up, passed down by value instead of nested
// timeouts.
#pragma once

#include <algorithm>
#include <chrono>

namespace mlprof {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline After(Clock::duration wait) { return Deadline(Clock::now() + wait); }
  static Deadline At(Clock::time_point when) { return Deadline(when); }
  /// The earlier of this and `wait` from now.
  Deadline AtMost(Clock::duration wait) const {
    return Deadline(std::min(when_, Clock::now() + wait));
  }

  Clock::time_point when() const { return when_; }
  bool Passed() const { return Clock::now() >= when_; }
  /// Never negative.
  Clock::duration Left() const { return std::max(Clock::duration::zero(), when_ - Clock::now()); }
  std::chrono::milliseconds LeftMs() const {
    return std::chrono::ceil<std::chrono::milliseconds>(Left());
  }

 private:
  explicit Deadline(Clock::time_point when) : when_(when) {}
  Clock::time_point when_;
};

}  // namespace mlprof
