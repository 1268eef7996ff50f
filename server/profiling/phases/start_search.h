// Where the model does not even start at the ceiling for want of memory: the first limit at which
// it does, as the reason the profile ends with.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "common/domain/trial.h"
#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

Trial StartTrial(const RunContext& context, const Limits& limits, Timestamp began,
                 const agent_protocol::Ready& ready);
Trial FailedStartTrial(const Limits& limits, Timestamp began, const std::string& why);

/// Starts the model, as RunningModel::Start() does. No start is one during which the kernel killed
/// for memory: a server that forks is ready with the workers that are left, and starts the killed
/// one anew for ever.
tl::expected<agent_protocol::Ready, DeathEvidence> StartWhole(
    RunningModel& model, std::optional<std::chrono::milliseconds> at_most = std::nullopt);

/// Starts the model at limits above the ceiling, as far as the host has memory, and ends the run
/// with `error` and the first limit that loads in its advice.
PhaseResult<std::unique_ptr<RunningModel>> SearchFirstStart(RunContext& context,
                                                            ProfileError error);

}  // namespace mlprof::phases
