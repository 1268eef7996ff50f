// One caller at a time; whoever waits for a turn may give up.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::server {

/// Thread-safe. Nothing but the flag is done under its lock.
class Turnstile {
  struct Leave {
    void operator()(Turnstile* turnstile) const {
      const std::lock_guard lock(turnstile->mutex_);
      turnstile->taken_ = false;
      turnstile->free_.notify_one();
    }
  };

 public:
  /// The turn; it ends with this. Must not outlive the turnstile.
  using Turn = std::unique_ptr<Turnstile, Leave>;

  /// kCancelled at once when the caller gives up, kDeadlineExceeded when no turn came.
  Result<Turn> Enter(const Patience& patience) {
    std::unique_lock lock(mutex_);
    if (!free_.wait_until(lock, patience.stop, patience.deadline.when(),
                          [this] { return !taken_; })) {
      if (patience.stop.stop_requested())
        return Fail(Cancelled("stopped while waiting for a turn"));
      return Fail(DeadlineExceeded("others had their turn all the time"));
    }
    taken_ = true;
    return Turn(this);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any free_;
  bool taken_ = false;
};

}  // namespace mlprof::server
