// When a quota stopped a container, by the time that its samples count. Pure.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "common/domain/sample.h"

namespace mlprof::server {

class ThrottledTimes {
 public:
  /// Between two samples over which throttled time rose. The kernel counts it when it lets the
  /// container go on, and the agent, who is stopped along with the model, reads it after that; so
  /// the rise lies between the last sample before the stop and the first after it.
  explicit ThrottledTimes(std::span<const Sample> samples);

  /// Whether the container was stopped at some time within [from, to].
  bool Touch(std::chrono::nanoseconds from, std::chrono::nanoseconds to) const;

 private:
  struct Stretch {
    std::chrono::nanoseconds from{0};
    std::chrono::nanoseconds to{0};
  };
  std::vector<Stretch> stretches_;  // in order, apart from each other
};

}  // namespace mlprof::server
