// How often to look at the container: at the interval asked for while something moves, ten times a
// second where nothing does. A look costs CPU of the container it measures, most of it for waking
// up, and one that comes later loses nothing but its time: counters are sums, peaks wait in the
// kernel's high-water marks. Pure; one thread.
#pragma once

#include <chrono>

#include "agent/loop/event_loop.h"
#include "common/units/bytes.h"

namespace mlprof::agent {

/// The kernel counts memory in batches for each CPU; a smaller change says nothing.
inline constexpr Bytes kSameUsage = KiB(64);

/// Sums and levels by which two looks are compared.
struct SampleState {
  std::chrono::nanoseconds cpu_time{0};  // of the model
  Bytes usage;                           // of the cgroup
};

class SamplePace {
 public:
  /// All looks are whole intervals from `first` on. Calm is told apart from `serving` on only: a
  /// start is looked at as often as was asked.
  void Begin(Clock::time_point first, std::chrono::microseconds interval);
  void BeginServing() { serving_ = true; }
  bool serving() const { return serving_; }

  /// A look was taken at `now`.
  void Saw(const SampleState& state, Clock::time_point now);
  /// A row came in: the model is about to move.
  void Stir(Clock::time_point now);

  bool calm() const { return calm_; }
  /// The next look after `now`; those that were missed altogether are left out.
  Clock::time_point NextAfter(Clock::time_point now) const;

 private:
  bool Moved(const SampleState& state, Clock::time_point now) const;

  std::chrono::nanoseconds interval_{0};
  Clock::time_point first_{};
  Clock::time_point seen_at_{};
  Clock::time_point moved_at_{};
  SampleState seen_;
  bool serving_ = false;
  bool calm_ = false;
};

}  // namespace mlprof::agent
