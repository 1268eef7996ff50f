// Phase "deviceMemory": how much of the device memory that the model holds it needs. Frameworks
// reserve most of a device at their start, so that what is held tells nothing: the model is run
// with memory taken as it is asked for, then under hard caps, each in a fresh container.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/device_findings.h"
#include "server/profiling/phases/limited_run.h"

namespace mlprof::server::phases {

struct DeviceMemoryFacts {
  DeviceFindings found;
  DeviceMemory need;  // on each
  /// That the need rests on, and that whoever deploys the model has to set. Empty: none helped.
  std::map<std::string, std::string> environment;
  std::optional<std::string> cut_short;  // why not all was tried
  bool refuted = false;                  // the answer did not hold with less than is reserved
  /// Beside which the answer is judged: of the model with these settings, where there are any and
  /// it was seen with them.
  Reference reference;
  Reference without;  // of the model as it came
  /// With these settings p95 took so many times as long, both at the ceiling.
  std::optional<double> slower;
};

/// What the containers that are closed did under the objective's load, which ran within [from, to]
/// on the run's clock. What it was limited by is judged once the answer is known. Pure.
std::optional<DeviceFindings> SeeDevices(const std::vector<ContainerFacts>& closed,
                                         std::chrono::nanoseconds from,
                                         std::chrono::nanoseconds to);

/// `seen`: by SeeDevices(). The containers have the ceiling otherwise.
PhaseResult<DeviceMemoryFacts> MeasureDeviceMemory(Lab& lab, Yardstick yardstick,
                                                   DeviceFindings seen);

}  // namespace mlprof::server::phases
