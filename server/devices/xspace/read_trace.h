// Reads an XSpace (`.xplane.pb`, what profilers of JAX, TensorFlow and XLA write) in one pass.
// Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/result/result.h"
#include "common/units/bytes.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

/// What a trace may hold. An event takes 32 bytes of memory beside the file.
struct TraceLimits {
  Bytes file = GiB(1);
  std::size_t events = 16'000'000;
  std::size_t parts = 2'000'000;  // planes, lines, names and the stats they share
  std::size_t stats_of_event = 1'000;
};

/// The trace; it points into `bytes`. kInvalidArgument where they are no XSpace, are cut or
/// damaged, or where nothing was recorded; kTooLarge.
Result<Trace> ReadTrace(std::string_view bytes, const TraceLimits& limits = {});

}  // namespace mlprof::server::xspace
