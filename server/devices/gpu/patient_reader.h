// A reader that never waits long: a sick device can hold its driver's calls for minutes. What is
// not answered in time is kSilent, and so is, at once, every question until the driver has come
// back.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "server/devices/gpu/device_reader.h"

namespace mlprof::server::devices {

class PatientReader final : public DeviceReader {
 public:
  PatientReader(std::shared_ptr<DeviceReader> reader, std::chrono::milliseconds longest);
  /// A call that still hangs keeps its thread and the reader, and ends with the process.
  ~PatientReader() override;

  /// From now on nobody waits: whoever asks or has asked gets kSilent at once. For a stop.
  void GiveUp();

  DeviceResult<std::vector<Device>> List() override;
  DeviceResult<DeviceReading> Read(const std::string& uuid) override;
  DeviceResult<std::optional<std::vector<DriverSample>>> Samples(
      const std::string& uuid, SampledFigure figure, std::chrono::microseconds after) override;
  DeviceResult<std::optional<Bytes>> PeakOf(const std::string& uuid, pid_t pid) override;

 private:
  struct State;
  template <class T>
  DeviceResult<T> Ask(std::function<DeviceResult<T>(DeviceReader&)> question);

  std::shared_ptr<State> state_;
  const std::chrono::milliseconds longest_;
};

}  // namespace mlprof::server::devices
