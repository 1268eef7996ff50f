// What the host and GPUs do in each step, as spans that may overlap, and who of them counts. Pure.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "server/devices/xspace/steps.h"

namespace mlprof::server::xspace {

struct ActiveSpan {
  Activity activity = Activity::kOther;
  Span span;
};

/// What was seen of one step.
struct StepEvents {
  std::vector<ActiveSpan> spans;
  Span host_marker;    // the longest root on the host
  Span device_marker;  // from the first event on a device to the last
};

/// By group. `has_device`: what launches work on a device counts as that.
std::map<std::int32_t, StepEvents> HostEvents(const HostGroups& host, bool has_device,
                                              const TimeLimit& time = {});
/// The GPUs' share of the same.
std::map<std::int32_t, StepEvents> GpuEvents(const Trace& trace, const HostGroups& host,
                                             const TimeLimit& time = {});

/// How long each activity counts within `step`, in ms, the rest being kOther.
std::array<double, kActivities> TimesWithin(const Span& step, const std::vector<ActiveSpan>& spans);

}  // namespace mlprof::server::xspace
