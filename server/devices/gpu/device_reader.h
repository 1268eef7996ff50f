// What a driver says of the devices of this machine. One interface, one implementation a vendor's
// devices, one honest fake (tests/fakes/fake_device_reader.h). A figure that a device does not have
// is absent, never 0. Thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/units/bytes.h"
#include "server/devices/gpu/device_error.h"

namespace mlprof::server::devices {

/// Something that one container can be given: a card, a part of one that was split (MIG), or a TPU
/// chip.
struct Device {
  std::string uuid;                  // "GPU-…", of a part "MIG-…", of a chip "TPU-…"
  std::string pci = {};              // "00000000:3B:00.0", of the card
  std::string name = {};             // "NVIDIA A100-SXM4-40GB", of the card
  std::optional<Bytes> memory = {};  // all that it has
  std::string card = {};             // of a part: the uuid of its card; "": it is one
  // Of a TPU chip alone, which no engine knows by a name:
  std::vector<std::string> files = {};  // of /dev, by which a program opens it
  int ordinal = 0;                      // among the machine's chips, as programs number them
  std::string model = {};               // "v5e"
  bool operator==(const Device&) const = default;
};

/// A process that computes on a device, as the host numbers processes.
struct DeviceProcess {
  pid_t pid = 0;
  std::optional<Bytes> memory = {};  // that it holds there
  bool operator==(const DeviceProcess&) const = default;
};

/// The figures of one device, at one moment.
struct DeviceReading {
  std::optional<Bytes> memory_total;
  std::optional<Bytes> memory_used;      // by all processes
  std::optional<Bytes> memory_reserved;  // by the driver for itself, which is in neither
  /// Shares (0 to 1) of the driver's last period, which it chooses (between 1/6 s and 1 s).
  std::optional<double> busy;         // in which a kernel ran, on however few of its parts
  std::optional<double> memory_busy;  // in which its memory was read or written
  std::optional<double> watts;
  std::optional<double> joules;  // since the driver was loaded
  std::optional<int> sm_mhz;
  std::optional<int> memory_mhz;
  std::optional<int> celsius;
  /// Why its clocks are lower than they could be: "swPowerCap"… Empty: they are not, or it idles.
  std::optional<std::vector<std::string>> throttled_by;
  std::optional<std::vector<DeviceProcess>> processes;
  /// Of what is absent: why, by the name of the figure ("power": "not supported by this device").
  std::map<std::string, std::string> missing;
};

/// What the driver itself has sampled, at its own rate.
enum class SampledFigure { kBusy, kMemoryBusy, kPower };
struct DriverSample {
  std::chrono::microseconds at{0};  // of the system's clock, since 1970
  double value = 0;                 // a share, or watts
};

class DeviceReader {
 public:
  virtual ~DeviceReader() = default;

  /// What a container can be given, in the driver's order: the parts in place of a split card.
  virtual DeviceResult<std::vector<Device>> List() = 0;
  virtual DeviceResult<DeviceReading> Read(const std::string& uuid) = 0;
  /// Newer than `after`, in order; absent where the device keeps none.
  virtual DeviceResult<std::optional<std::vector<DriverSample>>> Samples(
      const std::string& uuid, SampledFigure figure, std::chrono::microseconds after) = 0;
  /// The most that a process has held, also once it has ended, where somebody has switched the
  /// driver's accounting on; absent otherwise.
  virtual DeviceResult<std::optional<Bytes>> PeakOf(const std::string& uuid, pid_t pid) = 0;
};

}  // namespace mlprof::server::devices
