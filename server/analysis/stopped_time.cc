#include "server/analysis/stopped_time.h"

#include <algorithm>

namespace mlprof::server {

using std::chrono::nanoseconds;

StoppedTime::StoppedTime(std::span<const Sample> samples) {
  nanoseconds before{0};
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const nanoseconds to = samples[i].at;
    const nanoseconds rise =
        std::min(samples[i].throttled_time - samples[i - 1].throttled_time, to - samples[i - 1].at);
    if (rise <= nanoseconds{0}) continue;
    stops_.push_back({to - rise, to, before});
    before += rise;
  }
}

nanoseconds StoppedTime::Within(nanoseconds from, nanoseconds to) const {
  return std::max(Until(to) - Until(from), nanoseconds{0});
}

nanoseconds StoppedTime::Until(nanoseconds at) const {
  const auto next =
      std::upper_bound(stops_.begin(), stops_.end(), at,
                       [](nanoseconds time, const Stop& stop) { return time < stop.from; });
  if (next == stops_.begin()) return nanoseconds{0};
  const Stop& last = *std::prev(next);
  return last.before + std::min(at, last.to) - last.from;
}

}  // namespace mlprof::server
