// Asks a run to end before its end, from within it or from outside, and keeps why. Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace mlprof::server {

enum class StopReason {
  kUser,     // cancelled it
  kServer,   // stops
  kStorage,  // does not take what the run writes down, or does not give what it needs
  kEngine,   // went away: what happens to a container then says nothing about the model
  kRoom,     // is short on this machine: disk space, memory, threads
  kAgent,    // was lost without a word, by an engine that is well
};

class RunStop {
 public:
  /// The first reason stays; a user's alone replaces another. Runs the callbacks of the token on
  /// the calling thread, with no lock held.
  void Ask(StopReason reason, const std::string& why = "") {
    {
      const std::lock_guard lock(mutex_);
      if (!reason_ || reason == StopReason::kUser) {
        reason_ = reason;
        why_ = why;
      }
    }
    source_.request_stop();
  }

  std::optional<StopReason> reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
  }
  std::string why() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  mutable std::mutex mutex_;
  std::optional<StopReason> reason_;
  std::string why_;
  std::stop_source source_;
};

}  // namespace mlprof::server
