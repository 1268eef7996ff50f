// The instrument that reads a container's devices: their memory, load and power, on a thread of its
// own while the container stands.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "server/devices/gpu/device_reader.h"
#include "server/profiling/lab/device_watch.h"
#include "server/profiling/lab/instrument.h"

namespace mlprof::server {

class DeviceInstrument final : public Instrument {
 public:
  /// `runs_in` tells whether a process of the host is a container's.
  static InstrumentKind Kind(std::shared_ptr<devices::DeviceReader> reader,
                             RunsInContainer runs_in);

  DeviceInstrument(std::shared_ptr<devices::DeviceReader> reader, RunsInContainer runs_in)
      : reader_(std::move(reader)), runs_in_(std::move(runs_in)) {}

  Status Begin(const ObservedContainer& container, Deadline deadline) override;
  /// Sets what was seen of the devices. Nothing, and no error, where the container has none.
  Result<std::vector<Series>> End(ContainerFacts& facts, Deadline deadline) override;

 private:
  const std::shared_ptr<devices::DeviceReader> reader_;
  const RunsInContainer runs_in_;
  std::unique_ptr<DeviceWatch> watch_;
};

/// "deviceMemoryInBytes"…, of the second of several devices "device1MemoryInBytes". Pure.
std::vector<Series> SeriesOf(const DeviceUse& use);

}  // namespace mlprof::server
