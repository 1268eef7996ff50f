// A machine with TPU chips, and a model that uses them: libtpu's metric service is a port of the
// imitated model's. Imitated runtime, imitated bus.
#pragma once

#include <memory>
#include <string>

#include "server/devices/gpu/device_pool.h"
#include "server/devices/tpu/launch.h"
#include "server/devices/tpu/tpu_reader.h"
#include "server/profiling/lab/tpu_instrument.h"
#include "tests/fakes/fake_metric_service.h"
#include "tests/fakes/fake_runtime.h"
#include "tests/fakes/pci_tree.h"

namespace mlprof::server {

class FakeTpu {
 public:
  /// Two chips of v5e, of which the second has somebody's process.
  FakeTpu() {
    tree.AddV5e("0000:00:04.0", 0);
    tree.AddV5e("0000:00:05.0", 1);
    tree.Open(4711, "/dev/vfio/1");
    fakes::SayChip(service, GiB(3).count(), kTotal.count(), 95.0);
  }

  /// `this` must outlive the model.
  FakeModel OnThis(FakeModel model = {}) {
    model.ports[tpu::kMetricsPort] = [this, connection = fakes::FakeMetricService::Connection()](
                                         std::string_view heard) mutable {
      if (!connection) connection = service.NewConnection();
      return connection(heard);
    };
    return model;
  }

  InstrumentKind Instrument() const {
    return TpuInstrument::Kind(
        reader, [](const std::string&, pid_t pid) { return pid == kModel; }, times);
  }

  static constexpr pid_t kModel = 100;
  static constexpr Bytes kTotal = MiB(16128);  // less than the chip has: libtpu keeps some
  fakes::PciTree tree;
  fakes::FakeMetricService service;
  std::shared_ptr<devices::DeviceReader> reader = std::make_shared<tpu::TpuReader>(tree.root());
  devices::DevicePool pool{reader, {"TPU chip", "`tpu-info -p` lists it"}};
  TpuWatchTimes times{std::chrono::milliseconds(5), std::chrono::milliseconds(2000),
                      std::chrono::milliseconds(10), std::chrono::milliseconds(50)};
};

}  // namespace mlprof::server
