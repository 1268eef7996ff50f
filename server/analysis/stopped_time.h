// How long a quota stopped a container, by the kernel's own count. Pure.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "common/domain/sample.h"

namespace mlprof::server {

class StoppedTime {
 public:
  /// Between two samples it was stopped for as long as throttled time rose, and right before the
  /// later one: the agent, who is stopped along with the model, reads it as soon as it goes on.
  /// Each core's stops are counted, so that on several cores this is the most that it can be; never
  /// more than all of the time between the samples.
  explicit StoppedTime(std::span<const Sample> samples);

  /// Of the time from `from` to `to`.
  std::chrono::nanoseconds Within(std::chrono::nanoseconds from, std::chrono::nanoseconds to) const;

 private:
  struct Stop {
    std::chrono::nanoseconds from{0};
    std::chrono::nanoseconds to{0};
    std::chrono::nanoseconds before{0};  // of all stops ahead of it
  };
  std::chrono::nanoseconds Until(std::chrono::nanoseconds at) const;

  std::vector<Stop> stops_;  // in order, apart from each other
};

}  // namespace mlprof::server
