#include "server/devices/xspace/host_activity.h"

#include <algorithm>
#include <map>
#include <set>

#include "server/devices/xspace/stat_of.h"

namespace mlprof::server::xspace {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool StartsWithNoCase(std::string_view text, std::string_view start) {
  if (text.size() < start.size()) return false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (lower(text[i]) != lower(start[i])) return false;
  }
  return true;
}

// A root by its name alone, as older programs have them.
bool IsStepMarker(std::string_view name) {
  return (name.starts_with("train") || name.starts_with("test") ||
          name.starts_with("TraceContext")) &&
         !Contains(name, "/");
}

bool IsComputing(std::string_view name) {
  return !name.starts_with("EagerExecute") && !name.starts_with("EagerLocalExecute") &&
         !name.starts_with("EagerKernelExecute") && !name.starts_with("FunctionRun") &&
         !IsStepMarker(name);
}

Activity OnHost(std::string_view name, bool has_device, bool launches, bool first_input_stage) {
  if (Contains(name, "InfeedEnqueue") || Contains(name, "MemcpyHToD")) {
    return Activity::kHostToDevice;
  }
  if (Contains(name, "MemcpyHToH")) return Activity::kHostToHost;
  if (has_device && (launches || StartsWithNoCase(name, "ExecutorState::Process"))) {
    return Activity::kHostPrepare;
  }
  if (StartsWithNoCase(name, "IteratorGetNext") || first_input_stage) {
    return Activity::kWaitForInput;
  }
  return Activity::kHostCompute;
}

// The details say what a copy is, whatever its name: CUPTI has several for one.
Activity OnGpu(std::string_view name, std::string_view copy, std::string_view shapes) {
  if (!copy.empty() || name.starts_with("Memcpy")) {
    const bool from_host = Contains(copy, "kind_src:host") || Contains(copy, "kind_src:pageable") ||
                           Contains(copy, "kind_src:pinned");
    const bool to_host = Contains(copy, "kind_dst:host") || Contains(copy, "kind_dst:pageable") ||
                         Contains(copy, "kind_dst:pinned");
    if (Contains(name, "HToD") || Contains(name, "H2D") || (from_host && !to_host)) {
      return Activity::kHostToDevice;
    }
    if (Contains(name, "DToH") || Contains(name, "D2H") || (to_host && !from_host)) {
      return Activity::kDeviceToHost;
    }
    return Activity::kDeviceToDevice;
  }
  if (StartsWithNoCase(name, "nccl")) return Activity::kCollectives;
  const std::string_view told = shapes.empty() ? name : shapes;
  const bool half = Contains(told, "half") || (shapes.empty() && Contains(name, "fp16"));
  return half ? Activity::kDeviceCompute16 : Activity::kDeviceCompute32;
}

struct HostIds {
  explicit HostIds(const Plane& plane)
      : stage(plane, "_ipl_stage_name"),
        correlation(plane.StatId("correlation_id")),
        producer_type(plane.StatId("_pt")),
        producer(plane.StatId("_p")),
        consumer_type(plane.StatId("_ct")),
        consumer(plane.StatId("_c")) {}
  StatOf stage;
  std::optional<std::int64_t> correlation, producer_type, producer, consumer_type, consumer;
};

using Handover = std::pair<std::uint64_t, std::uint64_t>;

std::optional<Handover> HandoverOf(const Plane& plane, const Event& event,
                                   std::optional<std::int64_t> type,
                                   std::optional<std::int64_t> id) {
  const auto kind = plane.FindOwn(event, type);
  const auto number = plane.FindOwn(event, id);
  if (!kind || !number) return std::nullopt;
  return Handover(kind->Whole(), number->Whole());
}

std::set<Handover> HandoversOf(const HostGroups& host, const HostIds& ids, const TimeLimit& time) {
  std::set<Handover> out;
  for (const HostLine& line : host.lines) {
    for (const Event& event : line.line->events) {
      if (time.Over()) return out;
      const auto handed = HandoverOf(*host.plane, event, ids.producer_type, ids.producer);
      if (handed) out.insert(*handed);
    }
  }
  return out;
}

void Lengthen(Span& longest, const Span& other) {
  if (other.duration_ps > longest.duration_ps) longest = other;
}

void AddHostLine(const HostGroups& host, const HostLine& line, std::size_t number, bool has_device,
                 const HostIds& ids, const std::set<Handover>& handovers, const TimeLimit& time,
                 std::map<std::int32_t, StepEvents>& out) {
  const Plane& plane = *host.plane;
  std::uint32_t inside_until = 0;  // within a stage of the input pipeline up to there
  for (std::uint32_t i = 0; i < line.events.size() && !time.Over(); ++i) {
    const Event& event = line.line->events[line.events[i].event];
    const bool is_stage = !ids.stage.TextOf(event).empty();
    bool first_stage = false;
    if (is_stage) {
      const auto taken = HandoverOf(plane, event, ids.consumer_type, ids.consumer);
      first_stage = i >= inside_until && !(taken && handovers.contains(*taken));
      inside_until = std::max(inside_until, line.events[i].end);
    }
    const std::int32_t group = line.groups[i];
    if (group == kNoGroup) continue;
    const std::string_view name = CutName(plane.Of(event).name);
    const bool is_root = host.roots[static_cast<std::size_t>(group)] ==
                         std::pair(static_cast<std::uint32_t>(number), i);
    if (IsStepMarker(name) || is_root) {
      Lengthen(out[group].host_marker, line.events[i].span);
    } else if (IsComputing(name)) {
      const bool launches = plane.FindOwn(event, ids.correlation).has_value();
      out[group].spans.push_back(
          {OnHost(name, has_device, launches, first_stage), line.events[i].span});
    }
  }
}

// One end of a span, for the walk along time.
struct Boundary {
  std::int64_t time = 0;
  std::size_t activity = 0;
  bool is_start = false;

  bool operator<(const Boundary& other) const {
    if (time != other.time) return time < other.time;
    return is_start != other.is_start ? other.is_start : activity > other.activity;
  }
};

// Which activity counts from one boundary to the next. An event without a duration ends before it
// starts here, and so counts up to the next boundary, as it does in XProf.
class Counting {
 public:
  std::size_t Pass(const Boundary& at) {
    open_[at.activity] += at.is_start ? 1 : -1;
    if (at.is_start) {
      counts_ = std::max(counts_, at.activity);
    } else if (at.activity == counts_ && open_[at.activity] == 0) {
      while (counts_ > 0 && open_[counts_] <= 0) --counts_;
    }
    return counts_;
  }

 private:
  std::array<std::int64_t, kActivities> open_{};
  std::size_t counts_ = 0;
};

}  // namespace

std::map<std::int32_t, StepEvents> HostEvents(const HostGroups& host, bool has_device,
                                              const TimeLimit& time) {
  std::map<std::int32_t, StepEvents> out;
  if (host.plane == nullptr) return out;
  const HostIds ids(*host.plane);
  const auto handovers = HandoversOf(host, ids, time);
  for (std::size_t i = 0; i < host.lines.size(); ++i) {
    AddHostLine(host, host.lines[i], i, has_device, ids, handovers, time, out);
  }
  return out;
}

std::map<std::int32_t, StepEvents> GpuEvents(const Trace& trace, const HostGroups& host,
                                             const TimeLimit& time) {
  std::map<std::int32_t, StepEvents> out;
  const auto groups = GroupsByCorrelation(host);
  for (const Plane* plane : Gpus(trace)) {
    const auto correlation = plane->StatId("correlation_id");
    const StatOf copy(*plane, "memcpy_details");
    const StatOf shapes(*plane, "tensor_shapes");
    for (const Line& line : plane->lines) {
      for (const Event& event : line.events) {
        if (time.Over()) return out;
        const auto id = plane->FindOwn(event, correlation);
        const auto group = id ? groups.find(id->Whole()) : groups.end();
        if (group == groups.end()) continue;
        StepEvents& step = out[group->second];
        step.spans.push_back({OnGpu(CutName(plane->Of(event).name), CutName(copy.TextOf(event)),
                                    CutName(shapes.TextOf(event))),
                              SpanOf(event)});
        Span& marker = step.device_marker;
        if (marker.duration_ps == 0 && marker.start_ps == 0) marker = SpanOf(event);
        const std::int64_t end = std::max(marker.end_ps(), event.end_ps());
        marker.start_ps = std::min(marker.start_ps, event.start_ps);
        marker.duration_ps = end - marker.start_ps;
      }
    }
  }
  return out;
}

std::array<double, kActivities> TimesWithin(const Span& step,
                                            const std::vector<ActiveSpan>& spans) {
  std::vector<Boundary> ends;
  ends.reserve(2 * spans.size());
  for (const ActiveSpan& one : spans) {
    const auto activity = static_cast<std::size_t>(one.activity);
    ends.push_back({one.span.start_ps, activity, true});
    ends.push_back({one.span.end_ps(), activity, false});
  }
  std::sort(ends.begin(), ends.end());
  std::array<double, kActivities> out{};
  Counting counting;
  double told = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const std::size_t counts = counting.Pass(ends[i]);
    const Span between{ends[i].time, ends[i + 1].time - ends[i].time};
    const double ms = static_cast<double>(between.Overlap(step)) / 1e9;
    out[counts] += ms;
    told += ms;
  }
  out[0] += std::max(0.0, static_cast<double>(step.duration_ps) / 1e9 - told);
  return out;
}

}  // namespace mlprof::server::xspace
