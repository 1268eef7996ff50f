// All figures of one device at one moment, one call of the library each.
#pragma once

#include <optional>
#include <string>

#include "server/devices/gpu/device_reader.h"
#include "server/devices/nvml/nvml_library.h"

namespace mlprof::server::nvml {

/// The device is well and has no such figure, or not for us.
bool IsAbsence(Code code);

/// Used by one thread.
class FigureReader {
 public:
  /// `library` must outlive it.
  FigureReader(const Library& library, Handle handle) : library_(library), handle_(handle) {}

  devices::DeviceReading ReadAll();
  /// The first failure that says something of the device rather than of a figure.
  std::optional<Code> failure() const { return failure_; }

 private:
  // Whether the call named `figure` gave it; where not, why is kept.
  bool Took(const char* figure, Code code);
  template <class Function, class... Arguments>
  bool Call(const char* figure, Function function, Arguments... arguments) {
    return Took(figure, function != nullptr ? function(handle_, arguments...) : kFunctionNotFound);
  }
  void ReadMemory();
  void ReadUtilization();
  void ReadPower();
  void ReadClocks();
  void ReadProcesses();

  const Library& library_;
  const Handle handle_;
  devices::DeviceReading reading_;
  std::optional<Code> failure_;
};

}  // namespace mlprof::server::nvml
