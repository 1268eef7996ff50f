// The smallest step of CPU that passes, where more never hurts: a guess first, then away from it by
// growing strides, up until one passes or down until one fails, then bisection. Pure.
#pragma once

#include <optional>

#include "common/domain/limits.h"

namespace mlprof::server {

class GridSearch {
 public:
  /// Nothing below `floor` or above `ceiling` is tried; `ceiling` counts as passing. All on the
  /// grid.
  GridSearch(Cores floor, Cores guess, Cores ceiling);

  /// What to try next; nullopt when the answer is known.
  std::optional<Cores> Next() const;
  void Tell(Cores tried, bool passed);
  /// The smallest known to pass (the ceiling while none is).
  Cores Best() const { return passing_; }

 private:
  Cores guess_;
  Cores passing_;
  Cores below_;  // known to fail, or one step under the floor
  Cores stride_ = kCpuQuantum;
  bool tried_any_ = false;
  bool passed_any_ = false;
  bool failed_any_ = false;
};

}  // namespace mlprof::server
