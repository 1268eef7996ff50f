// Where the model does not even start at the ceiling for want of memory: the first limit at which
// it does, as the reason the profile ends with.
#pragma once

#include "common/domain/trial.h"
#include "server/profiling/lab/lab.h"

namespace mlprof::server::phases {

Trial StartTrial(const Container& container, Timestamp began, const agent_protocol::Ready& ready);
Trial FailedStartTrial(const Limits& limits, Timestamp began, const std::string& why);

/// Starts the model at limits above the ceiling, as far as the host has memory, and ends the run
/// with `error` and the first limit that loads in its advice.
PhaseResult<void> SearchFirstStart(Lab& lab, const Setup& setup, ProfileError error);

}  // namespace mlprof::server::phases
