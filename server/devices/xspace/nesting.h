// Which events of a line stand in which: an event is nested in the one that encloses it in time.
// Its self time is its duration without what is directly nested in it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

struct Span {
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;

  std::int64_t end_ps() const { return start_ps + duration_ps; }
  bool Includes(const Span& other) const {
    return start_ps <= other.start_ps && other.end_ps() <= end_ps();
  }
  /// Of how long both last.
  std::int64_t Overlap(const Span& other) const;
};

inline Span SpanOf(const Event& event) { return {event.start_ps, event.duration_ps}; }

struct Nested {
  Span span;
  std::uint32_t event = 0;   // index into the line's
  std::uint32_t end = 0;     // index behind the last of what is nested in it
  std::int64_t self_ps = 0;  // never below 0
};

/// Every event of a line by start, the longer first. `device_clock`: by the stats device_offset_ps
/// and device_duration_ps where an event has both.
std::vector<Nested> NestingOf(const Plane& plane, const Line& line, bool device_clock);

}  // namespace mlprof::server::xspace
