#include "common/time/monotonic_clock.h"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace mlprof {
namespace {

class SystemClock final : public MonotonicClock {
 public:
  std::chrono::nanoseconds Now() const override {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }

  void SleepUntil(std::chrono::nanoseconds when) const override {
    // A thread's timers may otherwise fire 50 us late, so that the kernel can gather them.
    [[maybe_unused]] thread_local const int precise = ::prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    const timespec until{when.count() / 1'000'000'000, when.count() % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
  }
};

}  // namespace

const MonotonicClock& MonotonicClock::System() {
  static const SystemClock clock;
  return clock;
}

}  // namespace mlprof
