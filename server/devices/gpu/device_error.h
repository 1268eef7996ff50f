// Why a device could not be read: each reason asks something else of whoever has to mend it.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "common/result/result.h"

namespace mlprof::server::devices {

enum class DeviceProblem {
  kNoLibrary,      // the driver's library is not on this machine: most likely no driver is
  kNoDriver,       // the library is there, and the kernel has no driver loaded
  kOtherVersion,   // library and kernel driver are of two versions
  kNoPermission,   // this program may not read devices
  kNoDevice,       // all of that is well, and there is no device
  kNoPart,         // there are cards, all of them split (MIG), and none has a part
  kUnknownDevice,  // no device has this name
  kLost,           // it was there, and has fallen off the bus or needs a reset
  kSilent,         // the driver does not answer
  kFailed,         // with another error of the driver's
};

/// A value. `what` is a sentence without its full stop; `remedy` says what to do.
struct DeviceError {
  DeviceProblem problem = DeviceProblem::kFailed;
  std::string what;
  std::string remedy;
};

template <class T>
using DeviceResult = tl::expected<T, DeviceError>;

/// With `detail` (the driver's own words, a device's name) in the sentence. Pure.
DeviceError MakeError(DeviceProblem problem, const std::string& detail = "");

inline tl::unexpected<DeviceError> Fail(DeviceProblem problem, const std::string& detail = "") {
  return tl::unexpected<DeviceError>(MakeError(problem, detail));
}

/// "WHAT; REMEDY", as kUnavailable.
Error AsError(const DeviceError& error);

}  // namespace mlprof::server::devices
