#include "server/analysis/arrival_schedule.h"

#include <algorithm>
#include <cmath>

#include "server/analysis/arrival_trace.h"

namespace mlprof::server {
namespace {

// Nanoseconds that a duration holds: 285 years.
constexpr double kMostSeconds = 9e9;

}  // namespace

ArrivalSchedule::ArrivalSchedule(double rate, const Arrivals& arrivals, std::uint64_t seed,
                                 std::chrono::nanoseconds busiest)
    : arrivals_(arrivals), rate_(rate), random_(seed) {
  if (arrivals_.kind == Arrivals::Kind::kTrace && busiest.count() > 0) {
    const double stretched = rate_ * arrivals_.times->MeanGap();
    recorded_ = 1 + BusiestStart(*arrivals_.times,
                                 std::chrono::duration<double>(busiest).count() * stretched);
    return;
  }
  if (arrivals_.kind == Arrivals::Kind::kTrace) {
    const auto gaps = static_cast<double>(arrivals_.times->seconds.size());
    recorded_ = static_cast<std::size_t>(random_.Uniform() * gaps);
  }
  if (arrivals_.kind != Arrivals::Kind::kConstant) Advance();
}

void ArrivalSchedule::Advance() {
  ++count_;
  // Constant arrivals by multiplication: a sum of rounded gaps would drift.
  seconds_ = arrivals_.kind == Arrivals::Kind::kConstant ? static_cast<double>(count_) / rate_
                                                         : seconds_ + NextGap();
  due_ = std::chrono::nanoseconds(std::llround(std::min(seconds_, kMostSeconds) * 1e9));
}

// The gap before the first is the one after the last.
double ArrivalSchedule::RecordedGap() {
  const std::vector<double>& times = arrivals_.times->seconds;
  const double mean = arrivals_.times->MeanGap();
  recorded_ %= times.size();
  const double gap = recorded_ == 0 ? mean : times[recorded_] - times[recorded_ - 1];
  ++recorded_;
  return gap / (mean * rate_);
}

double ArrivalSchedule::NextGap() {
  if (arrivals_.kind == Arrivals::Kind::kTrace) return RecordedGap();
  if (arrivals_.kind == Arrivals::Kind::kPoisson) return random_.Exponential(1 / rate_);
  const double shape = 1 / (arrivals_.cv * arrivals_.cv);
  return random_.Gamma(shape) / (shape * rate_);
}

}  // namespace mlprof::server
