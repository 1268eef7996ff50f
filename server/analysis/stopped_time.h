// How long a quota stopped a container, by the kernel's own count. Pure.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "common/domain/sample.h"

namespace mlprof::server {

class StoppedTime {
 public:
  /// The kernel counts a stop when it ends, so it began no earlier than what throttled time rose by
  /// ahead of the sample that shows it, or the sample before.
  explicit StoppedTime(std::span<const Sample> samples);

  /// Of the time from `from` to `to`, at most: a stop may lie anywhere between its samples, and on
  /// several cores each one's stops are counted.
  std::chrono::nanoseconds Within(std::chrono::nanoseconds from, std::chrono::nanoseconds to) const;

 private:
  struct Stop {
    std::chrono::nanoseconds from{0};  // of the stretch in which it lies
    std::chrono::nanoseconds to{0};
    std::chrono::nanoseconds time{0};
  };
  std::vector<Stop> stops_;              // by their ends
  std::chrono::nanoseconds longest_{0};  // of their stretches
};

}  // namespace mlprof::server
