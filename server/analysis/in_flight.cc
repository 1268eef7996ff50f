#include "server/analysis/in_flight.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace mlprof::server {
namespace {

constexpr double kRarerThan = 1e-4;

// How likely so many gaps end within a time in which `expected` requests arrive on average.
double EndWithin(int gaps, double shape, double expected) {
  return boost::math::gamma_p(gaps * shape, shape * expected);
}

}  // namespace

int InFlightAtMost(double rate, const Arrivals& arrivals, double seconds_each) {
  const double expected = rate * seconds_each;
  if (!(expected > 0)) return 1;
  if (expected >= kMostRequestsInFlight) return kMostRequestsInFlight;
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
