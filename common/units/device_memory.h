// DeviceMemory: so much memory on each of so many devices.
#pragma once

#include "common/units/bytes.h"

namespace mlprof {

struct DeviceMemory {
  Bytes each;
  int count = 1;  // of devices
  bool operator==(const DeviceMemory&) const = default;
};

}  // namespace mlprof
