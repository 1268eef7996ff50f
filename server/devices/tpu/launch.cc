#include "server/devices/tpu/launch.h"

#include <algorithm>

#include "server/devices/tpu/generation.h"

namespace mlprof::server::tpu {
namespace {

// The rectangle of so many chips; "": none has so many.
std::string BoundsOf(std::size_t count) {
  switch (count) {
    case 1: return "1,1,1";
    case 2: return "1,2,1";
    case 4: return "2,2,1";
    case 8: return "2,4,1";
    default: return "";
  }
}

constexpr const char* kVfioContainer = "/dev/vfio/vfio";

}  // namespace

bool IsTpuCount(int count) {
  return count > 0 && !BoundsOf(static_cast<std::size_t>(count)).empty();
}

TpuLaunch LaunchOf(const std::vector<devices::Device>& chips) {
  TpuLaunch launch;
  if (chips.empty()) return launch;
  std::string visible;
  for (const devices::Device& chip : chips) {
    launch.files.insert(launch.files.end(), chip.files.begin(), chip.files.end());
    visible += (visible.empty() ? "" : ",") + std::to_string(chip.ordinal);
  }
  const bool vfio = std::ranges::any_of(
      launch.files, [](const std::string& file) { return file.starts_with("/dev/vfio/"); });
  if (vfio) launch.files.emplace_back(kVfioContainer);
  const std::string bounds = BoundsOf(chips.size());
  launch.environment = {{"TPU_VISIBLE_CHIPS", visible},
                        {"TPU_CHIPS_PER_PROCESS_BOUNDS", bounds},
                        {"TPU_PROCESS_BOUNDS", "1,1,1"},
                        {"TPU_CHIPS_PER_HOST_BOUNDS", bounds},
                        {"TPU_HOST_BOUNDS", "1,1,1"},
                        {"TPU_SKIP_MDS_QUERY", "true"},
                        {"TPU_WORKER_ID", "0"},
                        {"TPU_WORKER_HOSTNAMES", "localhost"},
                        {"TPU_RUNTIME_METRICS_PORTS", std::to_string(kMetricsPort)}};
  if (const auto* generation = GenerationNamed(chips.front().model)) {
    launch.environment["TPU_ACCELERATOR_TYPE"] =
        AcceleratorTypeText(*generation, static_cast<int>(chips.size()));
  }
  return launch;
}

}  // namespace mlprof::server::tpu
