// What follows from a proven answer for whoever deploys it. Pure.
#pragma once

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// That were answered at exactly the answer: of the proof's measured loads, and of the soak.
std::int64_t RequestsAtAnswer(const RunFacts& facts, const phases::Proof& proof);

/// Into `answer`, of the containers that proved it and of the search before.
void AddSettings(const RunFacts& facts, const phases::Proof& proof, Recommendation& answer);

}  // namespace mlprof::server
