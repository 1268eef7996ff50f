// A stop that ends: what is over its time is named in the log, and what hangs does not keep the
// process.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

namespace mlprof::server {

/// While it lives, the process ends within `limit`, whatever its other threads do. That is as safe
/// as a crash: what is committed is kept, nothing is half-written, and the next start removes what
/// is left. Thread-safe.
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
