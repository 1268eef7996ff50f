#include "server/devices/xspace/steps.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "server/devices/xspace/core_steps.h"
#include "server/devices/xspace/host_activity.h"

namespace mlprof::server::xspace {
namespace {

// With more steps than this the first and the last are taken as cut by the trace's own ends.
constexpr std::size_t kFewSteps = 5;

// On the device where the host does not wait for it.
Span SpanOfStep(const StepEvents& events) {
  if (events.device_marker.duration_ps == 0) return events.host_marker;
  if (events.host_marker.Includes(events.device_marker)) return events.host_marker;
  return events.device_marker;
}

bool Has(const StepEvents& events, std::initializer_list<Activity> wanted) {
  return std::any_of(events.spans.begin(), events.spans.end(), [&](const ActiveSpan& span) {
    return std::find(wanted.begin(), wanted.end(), span.activity) != wanted.end();
  });
}

bool IsWhole(const StepEvents& events, bool has_device) {
  return has_device ? Has(events, {Activity::kDeviceCompute16, Activity::kDeviceCompute32})
                    : Has(events, {Activity::kHostCompute});
}

StepName NameOf(std::int32_t group, const HostGroups& host) {
  const auto at = static_cast<std::size_t>(group);
  return at < host.names.size() ? host.names[at] : StepName{"", group};
}

// Of a device only what the host has done for the steps that are seen there.
std::map<std::int32_t, StepEvents> EventsOf(const Trace& trace, const HostGroups& host,
                                            bool has_device, const TimeLimit& time) {
  auto on_host = HostEvents(host, has_device, time);
  if (!has_device) return on_host;
  auto out = GpuEvents(trace, host, time);
  for (auto& [group, step] : out) {
    const auto found = on_host.find(group);
    if (found == on_host.end()) continue;
    // The device's own span is the step: the host runs ahead of it.
    step.spans.insert(step.spans.end(), found->second.spans.begin(), found->second.spans.end());
  }
  return out;
}

void CollectGeneric(const Trace& trace, const HostGroups& host, const TimeLimit& time,
                    StepTable& table) {
  const bool has_device = table.hardware == Hardware::kGpu;
  for (const auto& [group, events] : EventsOf(trace, host, has_device, time)) {
    if (time.Over()) break;
    const Span span = SpanOfStep(events);
    if (span.duration_ps == 0 || !IsWhole(events, has_device)) continue;
    Step step;
    step.number = group;
    step.name = NameOf(group, host);
    step.span = span;
    step.ms = TimesWithin(span, events.spans);
    table.compute_ms_16bit += step.Ms(Activity::kDeviceCompute16);
    table.compute_ms_32bit += step.Ms(Activity::kDeviceCompute32);
    table.steps.push_back(step);
  }
  if (table.steps.size() > kFewSteps && !trace.part_ps) {
    table.steps.erase(table.steps.begin());
    table.steps.pop_back();
  }
}

}  // namespace

StepTable CollectSteps(const Trace& trace, const TimeLimit& time) {
  StepTable table;
  table.hardware = HardwareOf(trace);
  const HostGroups host = GroupHost(trace, time);
  if (table.hardware == Hardware::kTpu) {
    table.steps = CoreSteps(trace, host, time);
  } else {
    CollectGeneric(trace, host, time, table);
  }
  return table;
}

Summary Summarize(const std::vector<double>& values) {
  Summary out;
  if (values.empty()) return out;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  out.least = *least;
  out.most = *most;
  for (const double value : values) out.average += value;
  out.average /= static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - out.average) * (value - out.average);
  if (values.size() > 1)
    out.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return out;
}

}  // namespace mlprof::server::xspace
