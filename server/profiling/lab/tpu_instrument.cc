#include "server/profiling/lab/tpu_instrument.h"

#include <utility>

#include "server/devices/tpu/launch.h"
#include "server/profiling/lab/device_instrument.h"

namespace mlprof::server {

InstrumentKind TpuInstrument::Kind(std::shared_ptr<devices::DeviceReader> reader,
                                   RunsInContainer runs_in, const TpuWatchTimes& times) {
  return {"tpu", [reader = std::move(reader), runs_in = std::move(runs_in), times] {
            return std::make_unique<TpuInstrument>(reader, runs_in, times);
          }};
}

Status TpuInstrument::Begin(const ObservedContainer& container, Deadline) {
  if (container.tpus.empty()) return {};
  tpu::MetricClient client([connect = container.connect](Deadline within) {
    return connect(tpu::kMetricsPort, within);
  });
  MLPROF_LET(watch, TpuWatch::Begin({container.container_id, container.tpus, container.device_lost,
                                     container.metrics_lost,
                                     [agent = &container.agent] { return !agent->lost(); }},
                                    std::move(client), reader_, runs_in_, container.clock, times_));
  watch_ = std::move(watch);
  return {};
}

Result<std::vector<Series>> TpuInstrument::End(ContainerFacts& facts, Deadline) {
  if (!watch_) return std::vector<Series>();
  facts.device = watch_->End();
  watch_.reset();
  return SeriesOf(*facts.device);
}

}  // namespace mlprof::server
