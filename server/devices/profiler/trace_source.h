// Where device traces of running programs come from, as an interface.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "common/http/message.h"
#include "common/result/result.h"
#include "server/devices/profiler/profiler_address.h"

namespace mlprof::server::profiler {

struct Recording {
  ProfilerAddress address;
  std::chrono::milliseconds duration{1000};
  std::filesystem::path folder;  // where the trace is put
  /// Called a few times a second, with what came of the trace: 0 of 0 while it is recorded.
  std::function<void(Bytes received, Bytes total)> on_progress = {};
  std::stop_token stop = {};
  /// A Unix socket that leads to the program, where the address cannot be reached and only names
  /// it: a port inside a container that has no network, and is gone when the trace is looked at.
  std::filesystem::path socket = {};
  /// Where the program's own "/" is seen from here, for servers that write their traces to disk; ""
  /// where it is not. Of a program on this machine's loopback it need not be named.
  std::filesystem::path program_root = {};
};

inline constexpr std::chrono::milliseconds kShortestRecording{10};
inline constexpr std::chrono::seconds kLongestRecording{600};

class TraceSource {
 public:
  virtual ~TraceSource() = default;
  /// Records the program at the address and gives the XSpace as a file of its own. Each error is a
  /// sentence that says what to do. kConflict: another profile runs there, nothing ran, or the
  /// server keeps traces on a disk that is not seen from here. kInvalidArgument: that is no
  /// profiler server. kUnavailable: out of reach, or lost. kDeadlineExceeded, kTooLarge,
  /// kCancelled, kInternal.
  virtual Result<SpooledBody> Record(const Recording& recording) = 0;
};

}  // namespace mlprof::server::profiler
