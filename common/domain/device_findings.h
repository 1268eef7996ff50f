// What was found out of a model's devices, beside how much memory of them to ask for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/units/bytes.h"

namespace mlprof {

enum class DeviceKind { kGpu, kTpu };
std::string_view Name(DeviceKind kind);  // "gpu", "tpu"

/// kSm is of GPUs, kTensorCore of TPUs.
enum class LimitedBy { kNothing, kSm, kTensorCore, kMemoryBandwidth, kMemory, kHostCpu };
/// "nothing", "SM", "tensorCore", "memoryBandwidth", "memory", "hostCpu"
std::string_view Name(LimitedBy limit);

/// What keeps the model from being faster under the objective's load.
struct DeviceLimit {
  LimitedBy by = LimitedBy::kNothing;
  std::string reason;  // the figures it follows from, and the mark
  bool operator==(const DeviceLimit&) const = default;
};

/// How the need was told from what frameworks reserve; the surest first.
enum class NeededBy {
  kCap,     // the least hard cap under which all rows were answered
  kGrowth,  // memory that was reserved as it was asked for: some of it may be spare
  kAsItIs,  // no setting changed it: all that was reserved, if not all of it is needed
};
std::string_view Name(NeededBy by);  // "cap", "growth", "asItIs"

/// Memory is of the device where the model held the most.
struct DeviceFindings {
  DeviceKind kind = DeviceKind::kGpu;
  Bytes reserved;  // as the model was given
  Bytes needed;
  NeededBy needed_by = NeededBy::kAsItIs;
  std::string memory_from;  // how it was told from others': "processes", "accounting", "device",
                            // "runtime"
  std::optional<DeviceLimit> limit;  // absent: nothing was read
  std::optional<double> busy;        // shares of the time under the objective's load
  std::optional<double> memory_busy;
  std::optional<double> watts;
  std::map<std::string, std::string> missing;  // figures the device does not have, and why
  bool operator==(const DeviceFindings&) const = default;
};

}  // namespace mlprof
