// What follows from a proven answer for whoever deploys it. Pure.
#pragma once

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// That were answered with the answer's memory or less, and met no kill: of the measured loads of
/// the proof, of those with less CPU, of those with more load, and of the soak. 0 where a kill did
/// meet a container with the answer's memory.
std::int64_t RequestsAtAnswer(const RunFacts& facts, const phases::Proof& proof);

/// Whether a bound on rare kills says anything: what grows, with requests or with distinct rows, is
/// killed one day, however many requests were not.
bool MayBoundKills(const RunFacts& facts);

/// Into `answer`, of the containers that proved it and of the search before.
void AddSettings(const RunFacts& facts, const phases::Proof& proof, Recommendation& answer);

}  // namespace mlprof::server
