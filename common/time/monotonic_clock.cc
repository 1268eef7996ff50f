#include "common/time/monotonic_clock.h"

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
};

}  // namespace

const MonotonicClock& MonotonicClock::System() {
  static const SystemClock clock;
  return clock;
}

}  // namespace mlprof
