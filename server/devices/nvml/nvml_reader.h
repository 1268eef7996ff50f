// NVIDIA's devices, read on the host through the driver's library.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/devices/gpu/device_reader.h"
#include "server/devices/nvml/nvml_library.h"

namespace mlprof::server::nvml {

/// The library is opened when it is first asked, and tried again now and then while that fails, or
/// once the driver has gone: one that is installed, mended or loaded anew later is found without a
/// restart of the server. In between the last failure is told.
class NvmlReader final : public devices::DeviceReader {
 public:
  explicit NvmlReader(std::string file = kLibraryName,
                      std::chrono::milliseconds between_tries = std::chrono::seconds(5))
      : file_(std::move(file)), between_tries_(between_tries) {}

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

  void Close(const Library& library, const devices::DeviceError& why);

  const std::string file_;
  const std::chrono::milliseconds between_tries_;
  std::mutex mutex_;
  std::shared_ptr<Library> library_;
  std::optional<devices::DeviceError> failure_;  // of the last try, while there is no library
  std::chrono::steady_clock::time_point try_again_;
  std::set<std::string> known_;  // that were there once: one that is gone since is lost
};

}  // namespace mlprof::server::nvml
