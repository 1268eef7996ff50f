#include "server/devices/xspace/restricted_trace.h"

#include <algorithm>

#include "server/devices/xspace/planes.h"

namespace mlprof::server::xspace {
namespace {

// By start, none touching another.
std::vector<Span> Joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.start_ps < b.start_ps; });
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (out.empty() || span.start_ps > out.back().end_ps()) {
      out.push_back(span);
    } else {
      const std::int64_t end = std::max(out.back().end_ps(), span.end_ps());
      out.back().duration_ps = end - out.back().start_ps;
    }
  }
  return out;
}

// One at a single moment belongs to what begins then.
bool LiesWithin(const std::vector<Span>& spans, const Event& event) {
  const auto behind =
      std::upper_bound(spans.begin(), spans.end(), event.start_ps,
                       [](std::int64_t at, const Span& span) { return at < span.start_ps; });
  if (behind == spans.begin()) return false;
  const Span& span = *(behind - 1);
  return event.start_ps < span.end_ps() && event.end_ps() <= span.end_ps();
}

// One that did nothing while the whole was recorded was not there for its parts either.
bool IsIdleDevice(const Plane& plane) {
  const bool device = TensorCoreOf(plane) || GpuOf(plane);
  return device && std::all_of(plane.lines.begin(), plane.lines.end(),
                               [](const Line& line) { return line.events.empty(); });
}

Plane WithoutEvents(const Plane& plane) {
  Plane out;
  out.id = plane.id;
  out.name = plane.name;
  out.metadata = plane.metadata;
  out.stat_names = plane.stat_names;
  out.stats = plane.stats;
  for (const Line& line : plane.lines) out.lines.push_back({line.id, line.name, {}});
  return out;
}

}  // namespace

RestrictedTrace::RestrictedTrace(const Trace& whole) : whole_(whole) {
  for (const Plane& plane : whole.planes) {
    part_.planes.push_back(WithoutEvents(plane));
    if (IsIdleDevice(plane)) part_.planes.back().lines.clear();
  }
  part_.hostnames = whole.hostnames;
  part_.errors = whole.errors;
  part_.warnings = whole.warnings;
  part_.start_unix_ns = whole.start_unix_ns;
}

const Trace& RestrictedTrace::To(std::vector<Span> spans, const TimeLimit& time) {
  spans = Joined(std::move(spans));
  part_.part_ps = 0;
  for (const Span& span : spans) *part_.part_ps += span.duration_ps;
  for (std::size_t plane = 0; plane < part_.planes.size(); ++plane) {
    for (std::size_t line = 0; line < part_.planes[plane].lines.size(); ++line) {
      std::vector<Event>& events = part_.planes[plane].lines[line].events;
      events.clear();
      for (const Event& event : whole_.planes[plane].lines[line].events) {
        if (time.Over() || spans.empty() || event.start_ps >= spans.back().end_ps()) break;
        if (LiesWithin(spans, event)) events.push_back(event);
      }
    }
  }
  return part_;
}

}  // namespace mlprof::server::xspace
