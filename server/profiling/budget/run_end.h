// How a profile's run ends early: a state and, where there is one, the reason.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "common/domain/profile.h"

namespace mlprof::server {

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

}  // namespace mlprof::server
