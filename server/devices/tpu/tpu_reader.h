// TPU chips, read on the host: which there are, and which processes have them open. Their figures
// are told by the program that has them alone (metric_client.h), and libtpu is never loaded: it
// would take the chip.
#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "server/devices/gpu/device_reader.h"

namespace mlprof::server::tpu {

class TpuReader final : public devices::DeviceReader {
 public:
  /// `root`: see FindChips; its "proc" tells of the processes.
  explicit TpuReader(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// Those that can be opened. kNoDevice: the bus has none. kNoDriver: none of them has its files.
  devices::DeviceResult<std::vector<devices::Device>> List() override;
  /// The memory that chips of its kind have, and who has it open. kLost: it was on the bus before.
  devices::DeviceResult<devices::DeviceReading> Read(const std::string& uuid) override;
  devices::DeviceResult<std::optional<std::vector<devices::DriverSample>>> Samples(
      const std::string& uuid, devices::SampledFigure figure,
      std::chrono::microseconds after) override;
  devices::DeviceResult<std::optional<Bytes>> PeakOf(const std::string& uuid, pid_t pid) override;

 private:
  const std::filesystem::path root_;
  std::mutex mutex_;
  std::set<std::string> known_;  // that were there once
};

}  // namespace mlprof::server::tpu
