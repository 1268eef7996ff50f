// What it takes to take a device trace of a model in its container.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include "server/devices/profiler/trace_source.h"

namespace mlprof::server {

struct TraceTaking {
  profiler::TraceSource& source;  // outlives the runs; its limits bound bytes and time
  std::filesystem::path folder;   // for traces until they are kept
  std::filesystem::path sockets;  // short: a Unix socket's path has room for 107 bytes
  /// The time of day, since 1970: profilers stamp their traces with it.
  std::function<std::chrono::nanoseconds()> unix_now;
};

}  // namespace mlprof::server
