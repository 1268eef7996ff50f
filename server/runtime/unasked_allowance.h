// How much an agent may say without having been asked: so much a second, and a second's worth at
// once. One thread.
#pragma once

#include "common/time/deadline.h"

namespace mlprof::server {

class UnaskedAllowance {
 public:
  /// Far above 1000 samples a second, the most an agent takes.
  static constexpr double kFramesPerSecond = 10'000;

  explicit UnaskedAllowance(Deadline::Clock::time_point now) : at_(now) {}

  /// Takes one frame; false where it is one too many. `now` is asked only when it is needed.
  template <class Now>
  bool Take(const Now& now) {
    if (credit_ < 1) Renew(now());
    if (credit_ < 1) return false;
    credit_ -= 1;
    return true;
  }

 private:
  void Renew(Deadline::Clock::time_point now) {
    const std::chrono::duration<double> passed = now - at_;
    at_ = now;
    credit_ = std::min(kFramesPerSecond, credit_ + passed.count() * kFramesPerSecond);
  }

  double credit_ = kFramesPerSecond;
  Deadline::Clock::time_point at_;
};

}  // namespace mlprof::server
