#include "server/profiling/budget/budget.h"

#include <algorithm>

namespace mlprof::server {
namespace {

std::chrono::nanoseconds Scaled(std::chrono::nanoseconds time, double by) {
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(by * static_cast<double>(time.count())));
}

const Share& ShareOf(Spend spend) {
  return *std::find_if(kShares.begin(), kShares.end(),
                       [&](const Share& share) { return share.spend == spend; });
}

// The phases after `spend` that are not to be missed. A sample stands for the rows, and a probe is
// a part of its search.
double NeededAfter(Spend spend) {
  double needed = 0;
  for (const Share& share : kShares) {
    const bool counts =
        share.spend == Spend::kWarmUp || share.spend == Spend::kRows || share.spend == Spend::kLoad;
    if (counts && share.spend > spend) needed += share.at_least;
  }
  return needed;
}

}  // namespace

void Budget::Started(std::chrono::nanoseconds took) {
  if (!begun_ || starts_left_ == 0) return;
  --starts_left_;
  longest_start_ = std::max(longest_start_, took);
  end_ = end_.Later(took);
}

std::chrono::nanoseconds Budget::For(Spend spend) const {
  const Share& share = ShareOf(spend);
  const auto free = Left() - Scaled(total_, proof_reserve_ + NeededAfter(spend));
  const auto most = std::max(Scaled(total_, share.at_least), free);
  return std::min({Scaled(total_, share.of_budget), most, Left()});
}

}  // namespace mlprof::server
