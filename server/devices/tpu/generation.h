// The kinds of TPUs, by what the PCI bus says of them. Pure.
#pragma once

#include <string>

#include "common/units/bytes.h"

namespace mlprof::server::tpu {

/// The files of /dev by which a program opens a chip.
enum class ChipFiles {
  kAccel,  // /dev/accelN, in the order of the chips
  kVfio,   // /dev/vfio/GROUP of each of its functions, and /dev/vfio/vfio
};

struct Generation {
  const char* name;  // "v5e", as Google writes it
  int cores;         // of a chip, each a device of its own to frameworks
  Bytes memory;      // HBM of a chip
  ChipFiles files;
  /// What TPU_ACCELERATOR_TYPE begins with, and whether the number behind it is of cores.
  const char* type;
  bool type_counts_cores;
};

inline constexpr const char* kVendor = "0x1ae0";  // Google's

/// `device` and `subsystem` as sysfs has them ("0x0063"). nullptr: none that is known.
const Generation* FindGeneration(const std::string& device, const std::string& subsystem);

/// By its name; nullptr: none is called so.
const Generation* GenerationNamed(const std::string& name);

/// TPU_ACCELERATOR_TYPE of so many chips: "v5litepod-4", "v4-8".
std::string AcceleratorTypeText(const Generation& generation, int chips);

}  // namespace mlprof::server::tpu
