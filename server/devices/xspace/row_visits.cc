#include "server/devices/xspace/row_visits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/devices/xspace/planes.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::int64_t kPsOfNs = 1000;

bool BeginsBefore(const RowVisit& a, const RowVisit& b) {
  return a.span.start_ps != b.span.start_ps ? a.span.start_ps < b.span.start_ps : a.row < b.row;
}

// From the first event to the last.
struct Recorded {
  std::int64_t first_ps = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ps = 0;

  bool Any() const { return first_ps <= last_ps; }
  void Cover(const Line& line) {
    for (const Event& event : line.events) {
      first_ps = std::min(first_ps, event.start_ps);
      last_ps = std::max(last_ps, event.end_ps());
    }
  }
};

// Of the host and, where devices ran anything, of the devices too.
Span RecordedOf(const Trace& trace) {
  Recorded host;
  Recorded devices;
  for (const Plane& plane : trace.planes) {
    Recorded& kind = TensorCoreOf(plane) || GpuOf(plane) ? devices : host;
    for (const Line& line : plane.lines) kind.Cover(line);
  }
  std::int64_t first = 0;
  std::int64_t last = kLongestTracePs;
  for (const Recorded& kind : {host, devices}) {
    if (!kind.Any()) continue;
    first = std::max(first, kind.first_ps);
    last = std::min(last, kind.last_ps);
  }
  return {first, last - first};
}

}  // namespace

std::optional<RowVisits> VisitsDuring(const Trace& trace, const std::vector<RowTime>& rows) {
  if (!trace.start_unix_ns) return std::nullopt;
  const std::chrono::nanoseconds began(*trace.start_unix_ns);
  const Span recorded = RecordedOf(trace);
  const std::int64_t first = recorded.start_ps;
  const std::int64_t last = recorded.end_ps();
  const std::chrono::nanoseconds longest(kLongestTracePs / kPsOfNs);
  RowVisits out;
  for (const RowTime& row : rows) {
    if (row.to < row.from || row.from < began - longest || row.to > began + longest) continue;
    const std::int64_t from = (row.from - began).count() * kPsOfNs;
    const std::int64_t to = (row.to - began).count() * kPsOfNs;
    if (row.succeeded && from >= first && to <= last) {
      out.visits.push_back({row.row, {from, to - from}});
    } else if (to > 0 && from < last && out.others.size() < kMostVisits) {
      out.others.push_back({std::max<std::int64_t>(from, 0), to - std::max<std::int64_t>(from, 0)});
    }
  }
  std::sort(out.visits.begin(), out.visits.end(), BeginsBefore);
  if (out.visits.size() > kMostVisits) {
    out.left_out = out.visits.size() - kMostVisits;
    out.visits.resize(kMostVisits);
  }
  return out;
}

std::vector<RowVisit> VisitsOf(std::uint32_t row, const RowVisits& all) {
  std::vector<RowVisit> out;
  std::copy_if(all.visits.begin(), all.visits.end(), std::back_inserter(out),
               [row](const RowVisit& visit) { return visit.row == row; });
  return out;
}

std::vector<RowVisit> SlowestVisits(double percent, const RowVisits& all) {
  std::vector<RowVisit> out = all.visits;
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  const auto count = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(share * static_cast<double>(out.size()))));
  if (count >= out.size()) return out;
  const auto behind = out.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(out.begin(), behind, out.end(), [](const RowVisit& a, const RowVisit& b) {
    return a.span.duration_ps != b.span.duration_ps ? a.span.duration_ps > b.span.duration_ps
                                                    : BeginsBefore(a, b);
  });
  out.erase(behind, out.end());
  std::sort(out.begin(), out.end(), BeginsBefore);
  return out;
}

std::vector<Span> SpansOf(std::span<const RowVisit> visits) {
  std::vector<Span> out;
  for (const RowVisit& visit : visits) out.push_back(visit.span);
  return out;
}

}  // namespace mlprof::server::xspace
