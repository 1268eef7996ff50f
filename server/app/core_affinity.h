// Keeps the controller, and with it the replayer, off the cores the model is measured on.
#pragma once

#include <optional>

#include "server/profiling/lab/core_split.h"

namespace mlprof::server {

/// Splits the host's cores and pins this thread, and those it starts, to the replayer's. nullopt,
/// with nothing pinned, on hosts of fewer than 4 cores or where the kernel refuses. Call before any
/// thread is started.
std::optional<CoreSplit> KeepOffTheModelsCores();

}  // namespace mlprof::server
