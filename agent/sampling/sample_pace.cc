#include "agent/sampling/sample_pace.h"

#include <algorithm>

namespace mlprof::agent {
namespace {

// The slowest of what each look reads anew (sampler.cc).
constexpr std::chrono::milliseconds kCalmInterval{100};
// As long nothing has moved before looks become rarer: rows that follow each other closely, with
// next to no work in between, are no calm.
constexpr std::chrono::milliseconds kCalmAfter{100};
// Less than this share of a core is the ticking of a server that waits.
constexpr int kCalmShareOfCore = 50;

}  // namespace

void SamplePace::Begin(Clock::time_point first, std::chrono::microseconds interval) {
  first_ = seen_at_ = moved_at_ = first;
  interval_ = interval;
  calm_ = false;
}

bool SamplePace::Moved(const SampleState& state, Clock::time_point now) const {
  const Bytes changed = std::max(state.usage, seen_.usage) - std::min(state.usage, seen_.usage);
  return changed > kSameUsage ||
         (state.cpu_time - seen_.cpu_time) * kCalmShareOfCore > now - seen_at_;
}

void SamplePace::Saw(const SampleState& state, Clock::time_point now) {
  if (!serving_ || Moved(state, now)) moved_at_ = now;
  seen_ = state;
  seen_at_ = now;
  calm_ = now - moved_at_ >= kCalmAfter;
}

void SamplePace::Stir(Clock::time_point now) {
  moved_at_ = now;
  calm_ = false;
}

Clock::time_point SamplePace::NextAfter(Clock::time_point now) const {
  const auto step = calm_ ? std::max<std::int64_t>(1, kCalmInterval / interval_) : 1;
  return first_ + ((now - first_) / interval_ + step) * interval_;
}

}  // namespace mlprof::agent
