// How a profile's run ends early: a state and, where there is one, the reason.
#pragma once

#include <optional>
#include <tl/expected.hpp>

#include "common/domain/profile.h"

namespace mlprof {

struct RunEnd {
  ProfileState state =
      ProfileState::kFailed;  // kFailed, kCanceled, kTimedOut; kQueued: the server stops
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
inline tl::unexpected<RunEnd> Canceled() {
  return tl::unexpected<RunEnd>(RunEnd{ProfileState::kCanceled, std::nullopt});
}

}  // namespace mlprof
