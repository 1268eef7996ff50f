#include "server/devices/xspace/restricted_trace.h"

#include <algorithm>

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

// An event at one moment belongs where that moment lies.
bool Meet(const Event& event, const Span& span) {
  if (event.duration_ps == 0) {
    return event.start_ps >= span.start_ps && event.start_ps < span.end_ps();
  }
  return event.start_ps < span.end_ps() && event.end_ps() > span.start_ps;
}

void AddParts(const Event& event, const std::vector<Span>& spans, std::vector<Event>& out) {
  auto span = std::upper_bound(
      spans.begin(), spans.end(), event.start_ps,
      [](std::int64_t start_ps, const Span& one) { return start_ps < one.end_ps(); });
  for (; span != spans.end() && span->start_ps <= event.end_ps(); ++span) {
    if (!Meet(event, *span)) continue;
    Event part = event;
    part.start_ps = std::max(event.start_ps, span->start_ps);
    part.duration_ps = std::min(event.end_ps(), span->end_ps()) - part.start_ps;
    out.push_back(part);
  }
}

void SortLine(std::vector<Event>& events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
  });
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
  for (const Plane& plane : whole.planes) part_.planes.push_back(WithoutEvents(plane));
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
        AddParts(event, spans, events);
      }
      SortLine(events);
    }
  }
  return part_;
}

}  // namespace mlprof::server::xspace
