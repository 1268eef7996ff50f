// Looks at what grows now and then, in the background: first when the server is ready, or after a
// while all the same, then every hour; between two profiles where it can, since a look reads and
// writes the disk that the profile is measured on.
#pragma once

#include <functional>
#include <optional>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/app/recurring.h"

namespace mlprof::server {

class Retention;

/// When to look. Pure.
class RetentionTurns {
 public:
  explicit RetentionTurns(Deadline::Clock::time_point start) : due_(start), start_(start) {}

  /// Whether it is time now; then not again for an hour. While a profile runs it is put off, for a
  /// day at most.
  bool Take(Deadline::Clock::time_point now, bool ready, bool measuring);

 private:
  Deadline::Clock::time_point due_;
  const Deadline::Clock::time_point start_;
};

class RetentionSchedule {
 public:
  /// `ready`: the server is; `measuring`: a profile runs. Neither waits; what they and `retention`
  /// refer to must outlive this.
  RetentionSchedule(Retention& retention, std::function<bool()> ready,
                    std::function<bool()> measuring)
      : retention_(retention), ready_(std::move(ready)), measuring_(std::move(measuring)) {}
  /// Stops.
  ~RetentionSchedule() { Stop(); }

  /// kResourceExhausted where there is no thread for it.
  Status Start();
  /// Ends the look that goes on where it stands, and the thread. A second call does nothing.
  void Stop();

 private:
  void Turn();

  Retention& retention_;
  const std::function<bool()> ready_;
  const std::function<bool()> measuring_;
  RetentionTurns turns_{Deadline::Clock::now()};
  std::optional<Recurring> looking_;
};

}  // namespace mlprof::server
