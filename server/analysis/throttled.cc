#include "server/analysis/throttled.h"

#include <algorithm>

namespace mlprof::server {

ThrottledTimes::ThrottledTimes(std::span<const Sample> samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample& before = samples[i - 1];
    const Sample& after = samples[i];
    if (after.throttled_time <= before.throttled_time) continue;
    if (!stretches_.empty() && stretches_.back().to == before.at) {
      stretches_.back().to = after.at;
    } else {
      stretches_.push_back({before.at, after.at});
    }
  }
}

bool ThrottledTimes::Touch(std::chrono::nanoseconds from, std::chrono::nanoseconds to) const {
  const auto first = std::lower_bound(
      stretches_.begin(), stretches_.end(), from,
      [](const Stretch& stretch, std::chrono::nanoseconds at) { return stretch.to < at; });
  return first != stretches_.end() && first->from <= to;
}

}  // namespace mlprof::server
