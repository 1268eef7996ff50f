// Following a profile to its end over everything that can go wrong on the way: broken streams are
// resumed where they broke, and where no stream can be had the profile is asked for.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <variant>

#include "mlprof/profiles.h"

namespace mlprof::client {

using ProfileUpdate = std::variant<ProfileEvent, Profile>;

struct FollowOptions {
  std::chrono::milliseconds first_pause{200};  // before trying again; doubles up to the last
  std::chrono::milliseconds last_pause{2000};
  std::chrono::milliseconds give_up_after{60'000};  // without any response of the server
};

/// Returns the finished profile. `on_update` gets events in order and the profile itself after
/// each break; it may be called from another thread, but never twice at once.
/// kCancelled when stopped, kNotFound when the profile is deleted meanwhile, kUnavailable when the
/// server stays away.
Result<Resource<Profile>> FollowProfile(Profiles& profiles, const std::string& name,
                                        const std::function<void(const ProfileUpdate&)>& on_update,
                                        std::stop_token stop, const FollowOptions& options = {});

}  // namespace mlprof::client
