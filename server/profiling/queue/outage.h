// A while in which something fails that others depend on. It is logged when it begins, at most once
// a minute while it lasts, and when it is over. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace mlprof::server {

class Outage {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Constant texts for the log.
  Outage(const char* lasts, const char* over) : lasts_text_(lasts), over_text_(over) {}

  /// It failed now, for this reason. Whether that was logged.
  bool Failed(const std::string& why, Time now = std::chrono::steady_clock::now());
  /// It worked now. Whether that was logged: where it failed before.
  bool Over(Time now = std::chrono::steady_clock::now());
  /// How long it has lasted; zero where it does not.
  std::chrono::nanoseconds Lasts(Time now) const;
  /// The newest reason while it lasts.
  std::optional<std::string> cause() const;

 private:
  const char* const lasts_text_;
  const char* const over_text_;
  mutable std::mutex mutex_;
  std::optional<std::string> cause_;
  Time began_;
  Time logged_;
};

}  // namespace mlprof::server
