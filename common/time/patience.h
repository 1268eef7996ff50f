// Patience: how long one call may wait, as one value.
#pragma once

#include <stop_token>
#include <utility>

#include "common/time/deadline.h"

namespace mlprof {

/// Until its deadline, or until its caller gives up, whichever is first. A deadline alone stands
/// for a call that nobody gives up before.
struct Patience {
  Patience(Deadline until, std::stop_token given_up = {})
      : deadline(until), stop(std::move(given_up)) {}

  /// The same, but no longer than `wait` from now.
  Patience AtMost(Deadline::Clock::duration wait) const { return {deadline.AtMost(wait), stop}; }

  Deadline deadline;
  std::stop_token stop;
};

}  // namespace mlprof
