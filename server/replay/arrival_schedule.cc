#include "server/replay/arrival_schedule.h"

#include <cmath>

namespace mlprof::server {

ArrivalSchedule::ArrivalSchedule(const OpenLoop& plan)
    : arrivals_(plan.arrivals), rate_(plan.requests_per_second), random_(plan.seed) {
  if (arrivals_ == Arrivals::kPoisson) Advance();
}

void ArrivalSchedule::Advance() {
  ++count_;
  // Constant arrivals by multiplication: a sum of rounded gaps would drift.
  seconds_ = arrivals_ == Arrivals::kPoisson ? seconds_ + ExponentialGap()
                                             : static_cast<double>(count_) / rate_;
  due_ = std::chrono::nanoseconds(std::llround(seconds_ * 1e9));
}

// Not std::exponential_distribution, whose numbers differ between standard libraries.
double ArrivalSchedule::ExponentialGap() {
  const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;  // [0, 1)
  return -std::log1p(-uniform) / rate_;
}

}  // namespace mlprof::server
