#include "server/profiling/lab/device_instrument.h"

#include <utility>

namespace mlprof::server {
namespace {

void AddSeries(const std::string& name, const char* unit, const std::string& source,
               const std::vector<SeriesPoint>& points, std::vector<Series>& all) {
  if (!points.empty()) all.push_back({name, unit, source, points});
}

}  // namespace

std::vector<Series> SeriesOf(const DeviceUse& use) {
  std::vector<Series> all;
  for (std::size_t i = 0; i < use.devices.size(); ++i) {
    const OneDeviceUse& device = use.devices[i];
    const std::string name = "device" + (i == 0 ? std::string() : std::to_string(i));
    const auto add = [&](const std::string& what, const char* unit,
                         const std::vector<SeriesPoint>& points) {
      AddSeries(what, unit, use.source, points, all);
    };
    add(name + "MemoryInBytes", "bytes", device.memory);
    add(name + "Utilization", "share", device.busy);
    add(name + "MemoryUtilization", "share", device.memory_busy);
    add(name + "PowerInWatts", "watts", device.watts);
    add(name + "ClockInMhz", "MHz", device.sm_mhz);
    add(name + "Throttled", "share", device.throttled);
    add(name + "IdleInSeconds", "seconds", device.idle_seconds);
    add(name + "QueuedPrograms", "programs", device.queued);
  }
  return all;
}

InstrumentKind DeviceInstrument::Kind(std::shared_ptr<devices::DeviceReader> reader,
                                      RunsInContainer runs_in) {
  return {"devices", [reader = std::move(reader), runs_in = std::move(runs_in)] {
            return std::make_unique<DeviceInstrument>(reader, runs_in);
          }};
}

Status DeviceInstrument::Begin(const ObservedContainer& container, Deadline) {
  if (container.devices.empty()) return {};
  MLPROF_LET(watch,
             DeviceWatch::Begin({container.container_id, container.devices, container.device_lost},
                                reader_, runs_in_, container.clock));
  watch_ = std::move(watch);
  return {};
}

Result<std::vector<Series>> DeviceInstrument::End(ContainerFacts& facts, Deadline) {
  if (!watch_) return std::vector<Series>();
  auto use = watch_->End();
  watch_.reset();
  if (!use) return Fail(use.error());
  facts.device = *std::move(use);
  return SeriesOf(*facts.device);
}

}  // namespace mlprof::server
