// How long the server lives: until a signal, or until nobody uses it any more, and then no longer
// than its stop may take.
#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

namespace mlprof::server {

/// Blocks SIGTERM, SIGINT and SIGHUP in this thread and those it starts, and ignores SIGPIPE. Call
/// before any thread is started.
void BlockStopSignals();

/// Returns on SIGTERM, SIGINT or SIGHUP, or when an exclusive lock on `unused_file` can be had:
/// nobody holds a shared one any more. A second signal after this has returned ends the process at
/// once.
void WaitForEnd(const std::optional<std::filesystem::path>& unused_file);

/// A stop that ends: what is over its time is named in the log, and what hangs does not keep the
/// process. While it lives, the process ends within `limit`, whatever its other threads do. That is
/// as safe as a crash: what is committed is kept, nothing is half-written, and the next start
/// removes what is left. Thread-safe.
class StopLimit {
 public:
  explicit StopLimit(std::chrono::seconds limit);
  /// Everything ended in time.
  ~StopLimit();
  StopLimit(const StopLimit&) = delete;
  StopLimit& operator=(const StopLimit&) = delete;

  /// The next step begins, and should take no longer than `plan`. `step` is a literal.
  void Enter(const char* step, std::chrono::seconds plan);

 private:
  using Clock = std::chrono::steady_clock;
  void Watch(const std::stop_token& stop) const;

  const Clock::time_point end_;
  mutable std::mutex mutex_;
  const char* step_ = "";
  std::chrono::seconds plan_{0};
  Clock::time_point began_ = Clock::now();
  std::jthread thread_;
};

}  // namespace mlprof::server
