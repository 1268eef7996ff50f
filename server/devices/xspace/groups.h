// Which step every event belongs to. A step begins at an event that the program marked as a root
// (`_r`); it holds what is nested in it, what a thread hands to another (`_pt`, `_p` to `_ct`,
// `_c`), and what was started on a device for it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/devices/xspace/nesting.h"
#include "server/devices/xspace/time_limit.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

inline constexpr std::int32_t kNoGroup = -1;

/// A line of the host with the group of each of its events, by their place in `events`.
struct HostLine {
  const Line* line = nullptr;
  std::vector<Nested> events;
  std::vector<std::int32_t> groups;
};

/// "serve 133", in its parts: of the event that began the step, and what the program counted.
struct StepName {
  std::string_view root;  // in the trace's bytes; "" of a step by its number alone
  std::optional<std::int64_t> number;
};
/// At most kLongestName bytes and the number.
std::string Text(const StepName& name);

/// What the host did, and for which step.
struct HostGroups {
  const Plane* plane = nullptr;  // nullptr where there is no host
  std::vector<HostLine> lines;
  std::vector<StepName> names;  // of the groups
  /// The root of a group, as indices of a line and in it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> roots;
};

HostGroups GroupHost(const Trace& trace, const TimeLimit& time = {});

/// An event of a device, or a row of them, and its step.
struct GroupedSpan {
  Span span;
  std::int32_t group = kNoGroup;
};

/// What a TensorCore ran for which step.
struct CoreGroups {
  std::vector<GroupedSpan> modules;  // by start
  std::vector<GroupedSpan> steps;    // by start; the rows of one step joined
};

/// By plane. Modules that the host did not start in a step get steps of their own, behind its.
std::map<const Plane*, CoreGroups> GroupTensorCores(const Trace& trace, const HostGroups& host,
                                                    const TimeLimit& time = {});

/// The group of a kernel by its correlation id, for GPUs.
std::map<std::uint64_t, std::int32_t> GroupsByCorrelation(const HostGroups& host);

}  // namespace mlprof::server::xspace
