#include "server/profiling/phases/beside_first_visits.h"

#include <algorithm>

namespace mlprof::server::phases {
namespace {

// The very first request may pay for what the process does once.
ReplayResult WithoutTheVeryFirst(ReplayResult first) {
  if (first.requests.size() < 2) return first;
  first.requests.erase(first.requests.begin());
  first.began = first.requests.front().due;
  return first;
}

}  // namespace

BesideFirstVisits::BesideFirstVisits(const Container& container, const ReplayResult& first)
    : BesideFirstVisits(WithoutTheVeryFirst(first), container) {}

BesideFirstVisits::BesideFirstVisits(const ReplayResult& rest, const Container& container)
    : windows_(VisitsOf(rest.requests)),
      first_(windows_.Told(MeasureWindow(container, rest), rest)) {}

bool BesideFirstVisits::AreSteady() const {
  if (!first_ || !IsSteady(told())) return false;
  const auto last = told().last(kWindowsThatAgree);
  return std::all_of(last.begin(), last.end(),
                     [this](const WarmUpWindow& window) { return IsAsWarm(*first_, window); });
}

}  // namespace mlprof::server::phases
