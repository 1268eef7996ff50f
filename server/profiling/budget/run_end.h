// How a profile's run ends early: as what, and who asks it to and why.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>

#include "common/domain/profile.h"

namespace mlprof::server {

/// A state and, where there is one, the reason.
struct RunEnd {
  ProfileState state =
      ProfileState::kFailed;  // kSucceeded, kFailed, kTimedOut, or kCanceled: it was stopped
  std::optional<ProfileError> error;
};

/// What a phase gives: its result, or the end of the run.
template <class T>
using PhaseResult = tl::expected<T, RunEnd>;

inline tl::unexpected<RunEnd> EndRun(ProfileState state, ProfileError error) {
  return tl::unexpected<RunEnd>(RunEnd{state, std::move(error)});
}
inline tl::unexpected<RunEnd> FailRun(ProfileError error) {
  return EndRun(ProfileState::kFailed, std::move(error));
}
inline tl::unexpected<RunEnd> TimedOut(std::string message) {
  return EndRun(
      ProfileState::kTimedOut,
      {"BudgetUsedUp", std::move(message), {"allow a longer budget with --budget-seconds"}, ""});
}
inline tl::unexpected<RunEnd> Canceled() {
  return tl::unexpected<RunEnd>(RunEnd{ProfileState::kCanceled, std::nullopt});
}

/// Why a run is asked to end before its end.
enum class StopReason {
  kUser,           // cancelled it; with a why, a comparison that he asked for did (RunOversight)
  kServer,         // stops
  kStorage,        // does not take what the run writes down, or does not give what it needs
  kEngine,         // went away: what happens to a container then says nothing about the model
  kRoom,           // is short on this machine: disk space, memory, threads
  kAgent,          // was lost without a word, by an engine that is well
  kDevice,         // that it was given fell off the bus
  kDeviceMetrics,  // what told of its device is silent, although the model lives
};

/// Asks a run to end before its end, from within it or from outside, and keeps why. Thread-safe.
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
