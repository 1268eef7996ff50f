// The TPU chips on the PCI bus of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/devices/tpu/generation.h"

namespace mlprof::server::tpu {

struct Chip {
  std::string pci;  // "0000:00:04", without its function: a chip may have one for each core
  const Generation* generation = nullptr;  // static
  int ordinal = 0;                         // among the chips of this machine, from 0
  /// Files of /dev that belong to it alone. Empty: its kernel driver gives none.
  std::vector<std::string> files = {};
};

/// In the order by which programs number them: by IOMMU group where there are such, else by
/// address. `root`: "/", or a folder that holds a machine's sys/bus/pci/devices and dev.
std::vector<Chip> FindChips(const std::filesystem::path& root);

}  // namespace mlprof::server::tpu
