#include "server/analysis/stopped_time.h"

#include <algorithm>

namespace mlprof::server {

using std::chrono::nanoseconds;

StoppedTime::StoppedTime(std::span<const Sample> samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample& before = samples[i - 1];
    const Sample& after = samples[i];
    const nanoseconds rise = after.throttled_time - before.throttled_time;
    if (rise <= nanoseconds{0}) continue;
    stops_.push_back({std::min(before.at, after.at - rise), after.at, rise});
    longest_ = std::max(longest_, after.at - stops_.back().from);
  }
}

nanoseconds StoppedTime::Within(nanoseconds from, nanoseconds to) const {
  const auto first =
      std::lower_bound(stops_.begin(), stops_.end(), from,
                       [](const Stop& stop, nanoseconds at) { return stop.to < at; });
  nanoseconds sum{0};
  for (auto stop = first; stop != stops_.end() && stop->to - longest_ < to; ++stop) {
    const nanoseconds overlap = std::min(to, stop->to) - std::max(from, stop->from);
    if (overlap > nanoseconds{0}) sum += std::min(stop->time, overlap);
  }
  return std::min(sum, to - from);
}

}  // namespace mlprof::server
