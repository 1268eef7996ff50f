// From measured need to requested limits, and from a failed verification to the next try: the same
// for every resource. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/recommendation.h"
#include "server/analysis/measured_need.h"

namespace mlprof::server {

/// What each need asks for. Never above `ceiling` nor below the smallest limits. What the ceiling
/// does not have is absent; what it has and nobody measured stays at the ceiling.
Limits FirstAnswer(const MeasuredNeed& need, const Limits& ceiling);

/// One step more of `shortage` (OneStepHigher). nullopt where the ceiling leaves no room, or has
/// none of it.
std::optional<Limits> Raise(const Limits& tried, ResourceKind shortage, const Limits& ceiling);

/// A limit that was tried and failed, for the lower bounds.
struct FailedTry {
  Limits limits;
  ResourceKind shortage;
};

/// The recommendation at `limits`, with a bound of each resource that was measured.
Recommendation Recommend(const Limits& limits, const MeasuredNeed& need, const Limits& ceiling,
                         const std::vector<FailedTry>& failed);

}  // namespace mlprof::server
