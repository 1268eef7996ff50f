#include "server/devices/xspace/core_steps.h"

#include <algorithm>
#include <map>

#include "server/devices/xspace/host_activity.h"
#include "server/devices/xspace/op_facts.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kPsOfMs = 1e9;

// Self times of one step on one core, in ms.
struct OnCore {
  int core = 0;
  Span span;
  double infeed = 0;
  double outfeed = 0;
  double host_transfer = 0;
  double all_reduce = 0;
  double told = 0;  // by any operation

  double Duration() const { return static_cast<double>(span.duration_ps) / kPsOfMs; }
  double Idle() const { return std::max(0.0, Duration() - told); }
};

using ByGroup = std::map<std::int32_t, OnCore>;

void Count(OnCore& step, std::string_view category, double ms) {
  step.told += ms;
  if (category == "infeed") {
    step.infeed += ms;
  } else if (category == "outfeed") {
    step.outfeed += ms;
  } else if (category.starts_with("host send") || category.starts_with("host recv")) {
    step.host_transfer += ms;
  } else if (category.starts_with("all-reduce")) {
    step.all_reduce += ms;
  }
}

// By the module an operation runs in; both lie in order of time.
class GroupInTime {
 public:
  explicit GroupInTime(const std::vector<GroupedSpan>& modules) : modules_(modules) {}
  std::int32_t Of(const Span& span) {
    while (at_ < modules_.size() && modules_[at_].span.end_ps() <= span.start_ps) ++at_;
    if (at_ == modules_.size() || modules_[at_].span.start_ps >= span.end_ps()) return kNoGroup;
    return modules_[at_].group;
  }

 private:
  const std::vector<GroupedSpan>& modules_;
  std::size_t at_ = 0;
};

ByGroup StepsOf(const Plane& plane, const CoreGroups& groups, const TimeLimit& time) {
  ByGroup out;
  for (const GroupedSpan& step : groups.steps) {
    OnCore& on_core = out[step.group];
    on_core.core = TensorCoreOf(plane).value_or(0);
    if (step.span.duration_ps > on_core.span.duration_ps) on_core.span = step.span;
  }
  const Line* line = FindLine(plane, "XLA Ops");
  if (line == nullptr) return out;
  const auto category_id = plane.StatId("hlo_category");
  std::vector<std::string_view> categories(plane.metadata.size());
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const auto stat = plane.Find(plane.metadata[i], category_id);
    if (stat) categories[i] = stat->text;
  }
  GroupInTime group_of(groups.modules);
  for (const Nested& event : NestingOf(plane, *line, true)) {
    if (time.Over()) break;
    const auto step = out.find(group_of.Of(event.span));
    if (step == out.end()) continue;
    Count(step->second, categories[line->events[event.event].metadata],
          static_cast<double>(event.self_ps) / kPsOfMs);
  }
  return out;
}

Step Across(std::int32_t group, const std::vector<OnCore>& cores) {
  Step step;
  step.number = group;
  step.name = {"", group};
  CoreTimes& times = step.cores;
  const auto count = static_cast<double>(cores.size());
  std::vector<double> percents;
  double longest_infeed = -1;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const OnCore& core = cores[i];
    if (core.span.duration_ps > step.span.duration_ps) step.span = core.span;
    const double compute =
        core.Duration() - core.infeed - core.outfeed - core.host_transfer - core.Idle();
    times.compute = i == 0 ? compute : std::min(times.compute, compute);
    if (core.infeed > longest_infeed) {
      longest_infeed = core.infeed;
      times.slowest_infeed_core = core.core;
    }
    times.outfeed += core.outfeed / count;
    times.host_transfer += core.host_transfer / count;
    times.all_reduce += core.all_reduce / count;
    percents.push_back(core.Duration() > 0 ? 100 * core.infeed / core.Duration() : 0);
  }
  times.infeed = std::max(0.0, longest_infeed);
  times.idle = std::max(
      0.0, step.DurationMs() - times.compute - times.infeed - times.outfeed - times.host_transfer);
  const Summary infeed = Summarize(percents);
  times.infeed_percent_average = infeed.average;
  times.infeed_percent_least = infeed.least;
  times.infeed_percent_most = infeed.most;
  return step;
}

// Without operations for input the host's waiting for it is taken out of the device's idle time.
void TakeInputFromHost(std::map<std::int32_t, std::vector<OnCore>>& by_group,
                       const HostGroups& host, const TimeLimit& time) {
  for (const auto& [group, cores] : by_group) {
    for (const OnCore& core : cores) {
      if (core.infeed > 0) return;
    }
  }
  const auto on_host = HostEvents(host, true, time);
  for (auto& [group, cores] : by_group) {
    const auto found = on_host.find(group);
    if (found == on_host.end()) continue;
    const StepEvents& events = found->second;
    const auto ms = TimesWithin(events.host_marker, events.spans);
    const double waiting = ms[static_cast<std::size_t>(Activity::kWaitForInput)] +
                           ms[static_cast<std::size_t>(Activity::kHostToDevice)];
    const double idle = Across(group, cores).cores.idle;
    if (waiting <= 0 || idle <= 0) continue;
    const double share = std::min(1.0, waiting / idle);
    for (OnCore& core : cores) {
      core.infeed = core.Idle() * share;
      core.told += core.infeed;
    }
  }
}

}  // namespace

std::vector<Step> CoreSteps(const Trace& trace, const HostGroups& host, const TimeLimit& time) {
  std::map<std::int32_t, std::vector<OnCore>> by_group;
  const auto groups = GroupTensorCores(trace, host, time);
  for (const auto& [plane, core] : groups) {
    for (const auto& [group, step] : StepsOf(*plane, core, time)) by_group[group].push_back(step);
  }
  TakeInputFromHost(by_group, host, time);
  std::vector<Step> out;
  for (auto& [group, cores] : by_group) {
    if (cores.size() != groups.size()) continue;
    std::sort(cores.begin(), cores.end(),
              [](const OnCore& a, const OnCore& b) { return a.core < b.core; });
    out.push_back(Across(group, cores));
  }
  return out;
}

}  // namespace mlprof::server::xspace
