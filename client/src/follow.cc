#include "client/include/mlprof/follow.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "common/time/deadline.h"

namespace mlprof::client {
namespace {

// Waits unless stopped.
void Pause(std::chrono::milliseconds wait, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, wait, [] { return false; });
}

bool IsPassing(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kDeadlineExceeded ||
         error.code() == ErrorCode::kInternal || error.code() == ErrorCode::kResourceExhausted;
}

}  // namespace

Result<Resource<Profile>> FollowProfile(Profiles& profiles, const std::string& name,
                                        const std::function<void(const ProfileUpdate&)>& on_update,
                                        std::stop_token stop, const FollowOptions& options) {
  std::int64_t last_id = 0;
  std::chrono::milliseconds pause = options.first_pause;
  Deadline give_up = Deadline::After(options.give_up_after);
  const auto on_event = [&](const ProfileEvent& event) {
    last_id = event.id;  // not the largest: a restarted server may number anew
    pause = options.first_pause;
    give_up = Deadline::After(options.give_up_after);
    on_update(event);
    return event.type != "done";
  };
  while (true) {
    // How the stream ended does not matter: the profile itself says what to do next.
    const Status streamed = profiles.Events(name, last_id, on_event, stop);
    if (stop.stop_requested()) return Fail(Cancelled("stopped watching"));
    auto profile = profiles.Get(name);
    if (profile) {
      give_up = Deadline::After(options.give_up_after);
      if (IsFinished(profile->value.state)) return profile;
      on_update(profile->value);
    } else if (!IsPassing(profile.error()) || give_up.Passed()) {
      return profile;
    }
    Pause(pause, stop);
    if (stop.stop_requested()) return Fail(Cancelled("stopped watching"));
    pause = std::min(pause * 2, options.last_pause);
  }
}

}  // namespace mlprof::client
