// The variables by which frameworks are told how to take a device's memory. All of them are set at
// once: each framework reads its own. Pure.
#pragma once

#include <map>
#include <string>

#include "common/units/bytes.h"

namespace mlprof::server {

using DeviceSettings = std::map<std::string, std::string>;

/// Memory is taken as it is asked for, rather than most of the device at the start: TensorFlow, JAX
/// (XLA) and PyTorch. `own` are the model's variables: what is said there of the same is kept.
DeviceSettings GrowthSettings(const DeviceSettings& own);

/// The same with a hard cap of `cap` on a device of `total`, on the pool of the framework: JAX and
/// PyTorch (from 2.9 on). TensorFlow has none by a variable. What a process holds beside its pool
/// (the context, libraries' own) is not under it.
DeviceSettings CapSettings(const DeviceSettings& own, Bytes cap, Bytes total);

}  // namespace mlprof::server
