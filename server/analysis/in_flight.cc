#include "server/analysis/in_flight.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace mlprof::server {
namespace {

constexpr double kRarerThan = 1e-4;

// How likely so many gaps end within a time in which `expected` requests arrive on average.
double EndWithin(int gaps, double shape, double expected) {
  return boost::math::gamma_p(gaps * shape, shape * expected);
}

// Of a trace: for each arrival those that came within `seconds_each` before it, itself counted.
int RecordedInFlight(double rate, const ArrivalTimes& trace, double seconds_each) {
  const std::vector<double>& times = trace.seconds;
  const double window = seconds_each * rate * trace.MeanGap();  // as long as when it was recorded
  const double whole = times.back() + trace.MeanGap();
  const auto count = static_cast<std::int64_t>(times.size());
  const auto at = [&](std::int64_t n) {  // n may lie before the first: the trace before this one
    const std::int64_t round = n < 0 ? (n - count + 1) / count : 0;
    return times[static_cast<std::size_t>(n - round * count)] + static_cast<double>(round) * whole;
  };
  std::vector<std::int64_t> met;
  std::int64_t oldest = -kMostRequestsInFlight;
  for (std::int64_t n = 0; n < count; ++n) {
    oldest = std::max(oldest, n - kMostRequestsInFlight + 1);
    while (oldest < n && at(oldest) <= at(n) - window) ++oldest;
    met.push_back(n - oldest + 1);
  }
  std::sort(met.begin(), met.end());
  const auto beyond = static_cast<std::size_t>(kRarerThan * static_cast<double>(count));
  return static_cast<int>(met[met.size() - 1 - beyond]);
}

}  // namespace

int InFlightAtMost(double rate, const Arrivals& arrivals, double seconds_each) {
  const double expected = rate * seconds_each;
  if (!(expected > 0)) return 1;
  if (expected >= kMostRequestsInFlight) return kMostRequestsInFlight;
  if (arrivals.kind == Arrivals::Kind::kTrace) {
    return RecordedInFlight(rate, *arrivals.times, seconds_each);
  }
  if (arrivals.kind == Arrivals::Kind::kConstant) return static_cast<int>(std::ceil(expected));
  const double cv = arrivals.kind == Arrivals::Kind::kGamma ? arrivals.cv : 1;
  const double shape = 1 / (cv * cv);
  int before = 0;
  while (before + 1 < kMostRequestsInFlight &&
         EndWithin(before + 1, shape, expected) > kRarerThan) {
    ++before;
  }
  return before + 1;
}

}  // namespace mlprof::server
