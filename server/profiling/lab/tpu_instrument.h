// The instrument that reads a container's TPU chips: their memory, duty cycle and what else libtpu
// tells, on a thread of its own while the container stands.
#pragma once

#include <memory>

#include "server/devices/gpu/device_reader.h"
#include "server/profiling/lab/instrument.h"
#include "server/profiling/lab/tpu_watch.h"

namespace mlprof::server {

class TpuInstrument final : public Instrument {
 public:
  /// `reader` tells of the machine's chips, `runs_in` whether a process is a container's.
  static InstrumentKind Kind(std::shared_ptr<devices::DeviceReader> reader, RunsInContainer runs_in,
                             const TpuWatchTimes& times = {});

  TpuInstrument(std::shared_ptr<devices::DeviceReader> reader, RunsInContainer runs_in,
                const TpuWatchTimes& times)
      : reader_(std::move(reader)), runs_in_(std::move(runs_in)), times_(times) {}

  Status Begin(const ObservedContainer& container, Deadline deadline) override;
  /// Sets what was seen of the chips. Nothing, and no error, where the container has none.
  Result<std::vector<Series>> End(ContainerFacts& facts, Deadline deadline) override;

 private:
  const std::shared_ptr<devices::DeviceReader> reader_;
  const RunsInContainer runs_in_;
  const TpuWatchTimes times_;
  std::unique_ptr<TpuWatch> watch_;
};

}  // namespace mlprof::server
