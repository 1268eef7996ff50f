// A device trace that is recorded on a thread of its own, while its owner replays rows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "server/devices/profiler/trace_source.h"

namespace mlprof::server {

/// Used by one thread.
class BackgroundRecording {
 public:
  /// The source must outlive it. Of the recording the stop is its own. kResourceExhausted where
  /// there is no thread.
  static Result<std::unique_ptr<BackgroundRecording>> Begin(profiler::TraceSource& source,
                                                            profiler::Recording recording);
  /// Gives a recording up that is not over.
  ~BackgroundRecording() = default;
  BackgroundRecording(const BackgroundRecording&) = delete;
  BackgroundRecording& operator=(const BackgroundRecording&) = delete;

  /// Waits for so long at most; whether it is over.
  bool AwaitOver(std::chrono::milliseconds longest);
  /// Ends it early.
  void Stop() { thread_.request_stop(); }
  /// Waits until it is over, as the source's own time limits have it, or soon after Stop().
  Result<SpooledBody> Take();

 private:
  BackgroundRecording() = default;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Result<SpooledBody>> trace_;  // guarded; there once it is over
  std::jthread thread_;                       // last: it ends first
};

}  // namespace mlprof::server
