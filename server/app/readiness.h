// What /readyz answers: the newest word of a question that is asked in the background, never in a
// request.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::server {

/// Thread-safe once started.
class Readiness {
 public:
  /// Asks the engine. Must end when it is told to; is called from a thread of this class's.
  using Probe = std::function<Status(const Patience&)>;

  struct Timing {
    Deadline::Clock::duration pause = std::chrono::seconds(2);  // between two questions
    Deadline::Clock::duration limit = std::chrono::seconds(3);  // of one
    /// Older outcomes count for nothing: the thread that asks has come to a halt.
    Deadline::Clock::duration kept = std::chrono::seconds(15);
  };

  explicit Readiness(Probe probe) : Readiness(std::move(probe), Timing()) {}
  Readiness(Probe probe, Timing timing) : probe_(std::move(probe)), timing_(timing) {}
  /// Stops (see Stop).
  ~Readiness() { Stop(); }

  /// Asks for the first time, in the background. kResourceExhausted where no thread can be had.
  Status Start();
  /// Ends the question that is being asked, and the thread. A second call does nothing.
  void Stop();

  /// The newest outcome; kUnavailable with the cause. Never waits for a question.
  Status Newest() const;

 private:
  struct Outcome {
    Status status;
    Deadline::Clock::time_point at;
  };
  void Ask(const std::stop_token& stop);
  void Keep(Status status);

  const Probe probe_;
  const Timing timing_;
  mutable std::mutex mutex_;
  std::optional<Outcome> newest_;
  std::jthread thread_;
};

}  // namespace mlprof::server
