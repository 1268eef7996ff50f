#include "common/domain/device_findings.h"

namespace mlprof {

std::string_view Name(DeviceKind kind) { return kind == DeviceKind::kTpu ? "tpu" : "gpu"; }

std::string_view Name(LimitedBy limit) {
  switch (limit) {
    case LimitedBy::kNothing: break;
    case LimitedBy::kSm: return "SM";
    case LimitedBy::kTensorCore: return "tensorCore";
    case LimitedBy::kMemoryBandwidth: return "memoryBandwidth";
    case LimitedBy::kMemory: return "memory";
    case LimitedBy::kHostCpu: return "hostCpu";
  }
  return "nothing";
}

std::string_view Name(NeededBy by) {
  switch (by) {
    case NeededBy::kCap: return "cap";
    case NeededBy::kGrowth: return "growth";
    case NeededBy::kAsItIs: break;
  }
  return "asItIs";
}

}  // namespace mlprof
