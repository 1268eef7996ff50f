// What the start of a container at limits tells. Pure.
#pragma once

#include <chrono>
#include <optional>

#include "common/agent_protocol/messages.h"
#include "common/domain/measurements.h"
#include "common/domain/objective.h"
#include "server/analysis/verdict.h"

namespace mlprof::server::phases {

void AddStart(const agent_protocol::Ready& ready, Measurements& measurements);

/// By the objective, where it has a word on that, into the evidence, which knows whether the model
/// became ready. `start_timeout`: the inference config's.
void JudgeStart(const std::optional<agent_protocol::Ready>& ready, const Objective& objective,
                std::chrono::seconds start_timeout, VerificationEvidence& evidence);

}  // namespace mlprof::server::phases
