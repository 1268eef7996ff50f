// A device that a container's model uses, read by an instrument: its memory is held from the
// container's launch to its end. It can be told to fail.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/profiling/lab/instrument.h"

namespace mlprof::server {

struct FakeDevice {
  Bytes memory = GiB(3);
  std::string series = "deviceMemoryInBytes";
  enum class Fault { kNone, kMake, kBegin, kEnd, kThrowAtEnd } fault = Fault::kNone;
  int observing = 0;  // instruments that read it now

  /// The device must outlive it.
  InstrumentKind Instrument();
};

class FakeDeviceInstrument final : public Instrument {
 public:
  explicit FakeDeviceInstrument(FakeDevice& device) : device_(device) {
    if (device.fault == FakeDevice::Fault::kMake) throw std::runtime_error("no such device");
    ++device.observing;
  }
  ~FakeDeviceInstrument() override { --device_.observing; }

  Status Begin(const ObservedContainer& container, Deadline) override {
    if (device_.fault == FakeDevice::Fault::kBegin) return Fail(Unavailable("the device is busy"));
    clock_ = &container.clock;
    Read();
    return {};
  }

  Result<std::vector<Series>> End(ContainerFacts&, Deadline) override {
    if (device_.fault == FakeDevice::Fault::kEnd) return Fail(Unavailable("the device was lost"));
    if (device_.fault == FakeDevice::Fault::kThrowAtEnd) throw std::runtime_error("no driver");
    Read();
    return std::vector<Series>{{device_.series, "bytes", "device", std::move(read_)}};
  }

 private:
  void Read() { read_.push_back({clock_->Now(), static_cast<double>(device_.memory.count())}); }

  FakeDevice& device_;
  const MonotonicClock* clock_ = nullptr;
  std::vector<SeriesPoint> read_;
};

inline InstrumentKind FakeDevice::Instrument() {
  return {"device", [this] { return std::make_unique<FakeDeviceInstrument>(*this); }};
}

}  // namespace mlprof::server
