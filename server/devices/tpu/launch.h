// What a container needs to use TPU chips. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/devices/gpu/device_reader.h"

namespace mlprof::server::tpu {

/// Where libtpu tells its figures, inside the container. It has one port for each process; chips of
/// a profile belong to one.
inline constexpr int kMetricsPort = 8431;

struct TpuLaunch {
  std::vector<std::string> files;                  // of /dev
  std::map<std::string, std::string> environment;  // of the model

  bool empty() const { return files.empty(); }
};

/// Chips are used as a rectangle: 1, 2, 4 or 8 of them.
bool IsTpuCount(int count);

/// For chips of one kind, as TpuReader lists them; nothing where there are none. The container is
/// told all that libtpu would ask the cloud's metadata server, which it does not reach.
TpuLaunch LaunchOf(const std::vector<devices::Device>& chips);

}  // namespace mlprof::server::tpu
