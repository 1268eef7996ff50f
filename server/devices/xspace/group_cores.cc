#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "server/devices/xspace/groups.h"
#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/stat_of.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::string_view kEnqueue = "DoEnqueueProgram";
constexpr std::uint64_t kRunIdBits = 0xFFFFFFF;

// What names one run of a program: device, queue, run, kind of core.
using Launch = std::array<std::uint64_t, 4>;

struct LaunchStats {
  explicit LaunchStats(const Plane& plane)
      : device(plane, "device_ordinal"),
        queue(plane, "queue_id"),
        run(plane, "run_id"),
        core_type(plane, "core_type") {}
  StatOf device, queue, run, core_type;
};

std::map<Launch, std::int32_t> LaunchesOf(const HostGroups& host, const TimeLimit& time) {
  std::map<Launch, std::int32_t> out;
  if (host.plane == nullptr) return out;
  const Plane& plane = *host.plane;
  const LaunchStats stats(plane);
  for (const HostLine& line : host.lines) {
    for (std::size_t i = 0; i < line.events.size() && !time.Over(); ++i) {
      const Event& event = line.line->events[line.events[i].event];
      if (line.groups[i] == kNoGroup || plane.Of(event).name != kEnqueue) continue;
      out[{stats.device.WholeOf(event), stats.queue.WholeOf(event),
           stats.run.WholeOf(event) & kRunIdBits, stats.core_type.WholeOf(event)}] = line.groups[i];
    }
  }
  return out;
}

// The steps of runs that the host started in none: by run, the same on every core.
class OwnGroups {
 public:
  explicit OwnGroups(std::size_t first) : next_(static_cast<std::int32_t>(first)) {}
  std::int32_t Of(std::uint64_t run, std::size_t place) {
    const auto [known, is_new] = by_run_.emplace(std::pair(run, run == 0 ? place : 0), next_);
    if (is_new) ++next_;
    return known->second;
  }

 private:
  std::int32_t next_;
  std::map<std::pair<std::uint64_t, std::size_t>, std::int32_t> by_run_;
};

std::vector<GroupedSpan> ModulesOf(const Plane& plane, const std::map<Launch, std::int32_t>& known,
                                   OwnGroups& own, const TimeLimit& time) {
  std::vector<GroupedSpan> out;
  const Line* line = FindLine(plane, "XLA Modules");
  if (line == nullptr) return out;
  const LaunchStats stats(plane);
  const auto device = static_cast<std::uint64_t>(TensorCoreOf(plane).value_or(0));
  for (std::size_t i = 0; i < line->events.size() && !time.Over(); ++i) {
    const Event& event = line->events[i];
    const std::uint64_t run = stats.run.WholeOf(event);
    const auto launch = known.find(
        {device, stats.queue.WholeOf(event), run & kRunIdBits, stats.core_type.WholeOf(event)});
    out.push_back({SpanOf(event), launch != known.end() ? launch->second : own.Of(run, i)});
  }
  return out;
}

// The group of the module that lasts longest beside a span. Modules may overlap, and then their
// ends are in no order; how far any of them has reached by then is.
class GroupBeside {
 public:
  GroupBeside(const std::vector<GroupedSpan>& modules, const TimeLimit& time)
      : modules_(modules), time_(time) {
    std::int64_t until = std::numeric_limits<std::int64_t>::min();
    for (const GroupedSpan& module : modules) {
      reached_.push_back(until = std::max(until, module.span.end_ps()));
    }
  }

  std::int32_t Of(const Span& span) const {
    std::int32_t group = kNoGroup;
    std::int64_t longest = 0;
    const auto first = std::upper_bound(reached_.begin(), reached_.end(), span.start_ps);
    for (auto at = static_cast<std::size_t>(first - reached_.begin());
         at < modules_.size() && modules_[at].span.start_ps < span.end_ps() && !time_.Over();
         ++at) {
      const std::int64_t overlap = modules_[at].span.Overlap(span);
      if (overlap > longest) {
        longest = overlap;
        group = modules_[at].group;
      }
    }
    return group;
  }

 private:
  const std::vector<GroupedSpan>& modules_;
  const TimeLimit& time_;
  std::vector<std::int64_t> reached_;
};

void Join(std::vector<GroupedSpan>& steps, const GroupedSpan& next) {
  if (steps.empty() || steps.back().group != next.group) return steps.push_back(next);
  Span& last = steps.back().span;
  last.duration_ps = std::max(last.end_ps(), next.span.end_ps()) - last.start_ps;
}

// Without a line of steps the runs of a step are the step; with more steps than runs they are a
// loop on the device, and numbered as they come.
std::vector<GroupedSpan> StepsOf(const Plane& plane, std::vector<GroupedSpan>& modules,
                                 const TimeLimit& time) {
  std::vector<GroupedSpan> out;
  const Line* line = FindLine(plane, "Steps");
  if (line == nullptr || line->events.empty()) {
    for (const GroupedSpan& module : modules) Join(out, module);
    return out;
  }
  const bool loop = line->events.size() > modules.size();
  const GroupBeside beside(modules, time);
  std::int32_t number = 0;
  for (const Nested& step : NestingOf(plane, *line, true)) {
    if (time.Over()) break;
    const std::int32_t group = loop ? number++ : beside.Of(step.span);
    if (group != kNoGroup) Join(out, {step.span, group});
  }
  if (loop) modules = out;  // what the operations are compared with
  return out;
}

}  // namespace

std::map<const Plane*, CoreGroups> GroupTensorCores(const Trace& trace, const HostGroups& host,
                                                    const TimeLimit& time) {
  const auto known = LaunchesOf(host, time);
  OwnGroups own(host.names.size());
  std::map<const Plane*, CoreGroups> out;
  for (const Plane* plane : TensorCores(trace)) {
    CoreGroups core;
    core.modules = ModulesOf(*plane, known, own, time);
    core.steps = StepsOf(*plane, core.modules, time);
    out[plane] = std::move(core);
  }
  return out;
}

}  // namespace mlprof::server::xspace
