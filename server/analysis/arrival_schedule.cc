#include "server/analysis/arrival_schedule.h"

#include <cmath>

namespace mlprof::server {

ArrivalSchedule::ArrivalSchedule(double rate, const Arrivals& arrivals, std::uint64_t seed)
    : arrivals_(arrivals), rate_(rate), random_(seed) {
  if (arrivals_.kind != Arrivals::Kind::kConstant) Advance();
}

void ArrivalSchedule::Advance() {
  ++count_;
  // Constant arrivals by multiplication: a sum of rounded gaps would drift.
  seconds_ = arrivals_.kind == Arrivals::Kind::kConstant ? static_cast<double>(count_) / rate_
                                                         : seconds_ + RandomGap();
  due_ = std::chrono::nanoseconds(std::llround(seconds_ * 1e9));
}

double ArrivalSchedule::RandomGap() {
  if (arrivals_.kind == Arrivals::Kind::kPoisson) return random_.Exponential(1 / rate_);
  const double shape = 1 / (arrivals_.cv * arrivals_.cv);
  return random_.Gamma(shape) / (shape * rate_);
}

}  // namespace mlprof::server
