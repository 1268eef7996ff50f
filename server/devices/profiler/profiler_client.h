// Device traces from profiler servers (jax.profiler.start_server and
// tf.profiler.experimental.server.start): gRPC over HTTP/2 without TLS. Thread-safe.
#pragma once

#include "server/devices/profiler/trace_source.h"

namespace mlprof::server::profiler {

struct ProfilerLimits {
  Bytes trace = GiB(1);  // as much as is read
  std::chrono::milliseconds connect{std::chrono::seconds(10)};
  /// Beyond the time that is recorded: a large trace is collected and sent in it.
  std::chrono::milliseconds grace{std::chrono::seconds(120)};
};

class ProfilerClient : public TraceSource {
 public:
  explicit ProfilerClient(const ProfilerLimits& limits = {}) : limits_(limits) {}

  Result<SpooledBody> Record(const Recording& recording) override;

 private:
  const ProfilerLimits limits_;
};

}  // namespace mlprof::server::profiler
