// NVIDIA's devices, read on the host through the driver's library.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "server/devices/gpu/device_reader.h"
#include "server/devices/nvml/nvml_library.h"

namespace mlprof::server::nvml {

/// The library is opened when it is first asked, and tried again while that fails: a driver that is
/// installed or mended later is found without a restart of the server.
class NvmlReader final : public devices::DeviceReader {
 public:
  explicit NvmlReader(std::string file = kLibraryName) : file_(std::move(file)) {}

  devices::DeviceResult<std::vector<devices::Device>> List() override;
  devices::DeviceResult<devices::DeviceReading> Read(const std::string& uuid) override;
  devices::DeviceResult<std::optional<std::vector<devices::DriverSample>>> Samples(
      const std::string& uuid, devices::SampledFigure figure,
      std::chrono::microseconds after) override;
  devices::DeviceResult<std::optional<Bytes>> PeakOf(const std::string& uuid, pid_t pid) override;

 private:
  devices::DeviceResult<std::shared_ptr<Library>> Opened();
  devices::DeviceResult<Handle> Find(const Library& library, const std::string& uuid);
  tl::unexpected<devices::DeviceError> Failed(const Library& library, Code code,
                                              const std::string& uuid);
  void AddCard(const Library& library, Handle handle, std::vector<devices::Device>& all);

  const std::string file_;
  std::mutex mutex_;
  std::shared_ptr<Library> library_;
  std::set<std::string> known_;  // that were there once: one that is gone since is lost
};

}  // namespace mlprof::server::nvml
