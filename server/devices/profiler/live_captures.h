// Traces that a server takes because somebody asks it to over the network: of addresses that its
// operator named alone, and one at a time. Thread-safe.
#pragma once

#include <filesystem>
#include <mutex>
#include <stop_token>
#include <vector>

#include "server/devices/profiler/trace_source.h"

namespace mlprof::server::profiler {

class LiveCaptures {
 public:
  /// The source must outlive it.
  LiveCaptures(TraceSource& source, std::vector<ProfilerAddress> allowed)
      : source_(source), allowed_(std::move(allowed)) {}

  /// kPermissionDenied, with what to do.
  Status Check(const ProfilerAddress& address) const;

  /// Without the lock while another one is being taken.
  using Turn = std::unique_lock<std::mutex>;
  Turn TakeTurn() { return Turn(busy_, std::try_to_lock); }
  /// For who has the turn and has checked. As TraceSource::Record; kUnavailable once it is stopped.
  Result<SpooledBody> Take(const ProfilerAddress& address, std::chrono::milliseconds duration,
                           const std::filesystem::path& folder);

  /// Ends the one under way, and every later one. Any thread.
  void Stop() { stop_.request_stop(); }

 private:
  TraceSource& source_;
  const std::vector<ProfilerAddress> allowed_;
  std::mutex busy_;
  std::stop_source stop_;
};

}  // namespace mlprof::server::profiler
