// The steps of a trace, and what each spent its time on. Pure. The rules are those of
// docs/DEVICE_TRACES.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "server/devices/xspace/groups.h"
#include "server/devices/xspace/planes.h"

namespace mlprof::server::xspace {

/// What a step of the host or of a GPU does at an instant: of several, the last of these counts.
enum class Activity : std::uint8_t {
  kOther,
  kHostCompute,
  kHostCompile,
  kHostToHost,
  kHostToDevice,
  kHostPrepare,
  kCollectives,
  kWaitForInput,
  kDeviceToDevice,
  kDeviceToHost,
  kDeviceCompute32,
  kDeviceCompute16,
  kWaitForDevice,
  kWaitForHost,
};
inline constexpr std::size_t kActivities = 14;

/// Where the time of a step on TensorCores went, in ms; over the cores.
struct CoreTimes {
  double compute = 0;
  double infeed = 0;
  double outfeed = 0;
  double idle = 0;
  double host_transfer = 0;
  double all_reduce = 0;
  double infeed_percent_average = 0;
  double infeed_percent_least = 0;
  double infeed_percent_most = 0;
  int slowest_infeed_core = 0;  // the number of the core that waited longest
};

struct Step {
  std::int32_t number = 0;
  StepName name;
  Span span;
  std::array<double, kActivities> ms{};  // by Activity; of CPU and GPU
  CoreTimes cores;                       // of TPU

  double DurationMs() const { return static_cast<double>(span.duration_ps) / 1e9; }
  double Ms(Activity activity) const { return ms[static_cast<std::size_t>(activity)]; }
};

struct StepTable {
  Hardware hardware = Hardware::kCpu;
  std::vector<Step> steps;
  double compute_ms_16bit = 0;  // on GPUs, of the steps at the trace's ends too
  double compute_ms_32bit = 0;
};

StepTable CollectSteps(const Trace& trace, const TimeLimit& time = {});

/// A mean with its spread; deviation is the sample's (n - 1), 0 for one value.
struct Summary {
  double average = 0;
  double deviation = 0;
  double least = 0;
  double most = 0;
};
Summary Summarize(const std::vector<double>& values);

}  // namespace mlprof::server::xspace
