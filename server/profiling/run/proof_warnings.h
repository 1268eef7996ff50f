// What a user is told of the proof of an answer: that it lacks, or what later loads said of it.
// Pure.
#pragma once

#include <vector>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// Advice for whatever the budget was too short for.
inline constexpr const char* kLongerBudget = "allow a longer budget with --budget-seconds";

/// `soakCutShort`, `unverified`, `startSlow` and `unsteady`, as far as they apply.
std::vector<Warning> ProofWarnings(const RunFacts& facts);

}  // namespace mlprof::server
