#include "server/devices/xspace/nesting.h"

#include <algorithm>

namespace mlprof::server::xspace {
namespace {

constexpr std::int64_t kLatestPs = 2 * kLongestTracePs;  // as far as a line's events may lie

struct DeviceClock {
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> duration;

  Span Of(const Plane& plane, const Event& event) const {
    if (offset && duration) {
      std::optional<std::uint64_t> start, length;
      Plane::ForEachStat(event, [&](std::int64_t id, std::string_view message) {
        if (id == *offset) start = plane.Decode(message).Whole();
        if (id == *duration) length = plane.Decode(message).Whole();
      });
      if (start && length && *start <= kLatestPs && *length <= kLatestPs) {
        return {static_cast<std::int64_t>(*start), static_cast<std::int64_t>(*length)};
      }
    }
    return SpanOf(event);
  }
};

bool Before(const Nested& a, const Nested& b) {
  if (a.span.start_ps != b.span.start_ps) return a.span.start_ps < b.span.start_ps;
  return a.span.duration_ps > b.span.duration_ps;
}

// Sets `end` and `self_ps`: a stack of those that are open.
void Nest(std::vector<Nested>& events) {
  std::vector<std::uint32_t> open;
  const auto close = [&](std::uint32_t before) {
    Nested& closed = events[open.back()];
    closed.end = before;
    closed.self_ps = std::max<std::int64_t>(closed.self_ps, 0);
    open.pop_back();
  };
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    while (!open.empty() && !events[open.back()].span.Includes(events[i].span)) close(i);
    if (!open.empty()) {
      std::int64_t& self = events[open.back()].self_ps;
      self = std::max<std::int64_t>(self - events[i].span.duration_ps, -kLatestPs);
    }
    events[i].self_ps = events[i].span.duration_ps;
    open.push_back(i);
  }
  while (!open.empty()) close(static_cast<std::uint32_t>(events.size()));
}

}  // namespace

std::int64_t Span::Overlap(const Span& other) const {
  const std::int64_t from = std::max(start_ps, other.start_ps);
  return std::max<std::int64_t>(0, std::min(end_ps(), other.end_ps()) - from);
}

std::vector<Nested> NestingOf(const Plane& plane, const Line& line, bool device_clock) {
  DeviceClock clock;
  if (device_clock) {
    clock = {plane.StatId("device_offset_ps"), plane.StatId("device_duration_ps")};
  }
  std::vector<Nested> out(line.events.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i].span = clock.Of(plane, line.events[i]);
    out[i].event = i;
  }
  if (!std::is_sorted(out.begin(), out.end(), Before)) {
    std::stable_sort(out.begin(), out.end(), Before);
  }
  Nest(out);
  return out;
}

}  // namespace mlprof::server::xspace
