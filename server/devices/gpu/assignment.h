// Which devices a profile is given. Pure.
#pragma once

#include <string>
#include <vector>

#include "server/devices/gpu/device_reader.h"

namespace mlprof::server::devices {

/// How a pool speaks of its devices, and what it gives together.
struct PoolWords {
  std::string noun = "GPU";
  std::string who_uses_them = "`nvidia-smi` lists it";
  /// Only neighbours are of use together: the first `count`, the second, and so on.
  bool neighbours = false;
};

/// How a device stands when it is to be given away.
struct Candidate {
  Device device;
  /// Processes that compute on it while no profile of ours has it: somebody else's.
  std::vector<DeviceProcess> others = {};
  bool held = false;  // by another profile of ours
  bool lost = false;
  std::string unread = {};  // why it could not be read: then it cannot be measured either
  /// Why nobody can tell whether it is free: it is given where no other one is.
  std::string doubt = {};
};

struct Assignment {
  enum class Kind {
    kGiven,
    kWait,    // enough of them, but other profiles of ours have some
    kRefuse,  // waiting for profiles of ours would not help
  };
  Kind kind = Kind::kRefuse;
  std::vector<Device> devices = {};  // kGiven
  /// One sentence: of what was skipped where some are given, of what is missing where not.
  std::string why = {};
  /// Of those that are given and not known to be free, one sentence each; "": there are none.
  std::string doubts = {};
};

/// The first `count` that are free, in their order; those that are in doubt only after them. A
/// device is given to one profile at a time.
Assignment Assign(const std::vector<Candidate>& candidates, int count, const PoolWords& words = {});

/// "2 GPUs (GPU-1 NVIDIA A100, GPU-2 NVIDIA A100)".
std::string ListText(const std::vector<Device>& devices, const std::string& noun = "GPU");

}  // namespace mlprof::server::devices
