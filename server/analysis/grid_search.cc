#include "server/analysis/grid_search.h"

#include <algorithm>

namespace mlprof::server {

GridSearch::GridSearch(Cores floor, Cores guess, Cores ceiling)
    : guess_(std::clamp(guess, std::min(floor, ceiling), ceiling)),
      passing_(ceiling),
      below_(std::min(floor, ceiling) - kCpuQuantum) {}

// While all tries ended alike, in growing strides away from the guess; it seldom is far off.
std::optional<Cores> GridSearch::Next() const {
  if (passing_ - below_ <= kCpuQuantum) return std::nullopt;
  if (!tried_any_ && guess_ < passing_) return guess_;
  const Cores up = below_ + stride_;
  if (tried_any_ && !passed_any_ && up < passing_) return up;
  const Cores down = passing_ - stride_;
  if (tried_any_ && !failed_any_ && down > below_) return down;
  const Cores middle =
      Cores::FromMillicores((below_.millicores() + passing_.millicores()) / 2).RoundDownToGrid();
  return std::max(middle, below_ + kCpuQuantum);
}

void GridSearch::Tell(Cores tried, bool passed) {
  if (tried_any_ && passed == passed_any_) stride_ = stride_ + stride_;
  if (passed) {
    passing_ = std::min(passing_, tried);
    passed_any_ = true;
  } else {
    below_ = std::max(below_, tried);
    failed_any_ = true;
  }
  tried_any_ = true;
}

}  // namespace mlprof::server
