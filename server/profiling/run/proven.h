// What a run proved, as far as it came. Pure.
#pragma once

#include <optional>
#include <vector>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// The limits that passed with their runs; null while none have.
const phases::Proof* ProofOf(const RunFacts& facts);

/// What the containers at limits did not pay for.
Bytes UnpaidFiles(const RunFacts& facts);

/// What was tried with less than the answer, and fell short.
std::vector<FailedTry> FailedBefore(const RunFacts& facts);

/// What the containers of a proof were seen to sustain: the objective's load. Of a rate that is the
/// rate itself, which each of them kept up with; else the least of what they served.
phases::ProvenLoad LoadOf(const phases::Proof& proof, const Objective& objective);

/// Of the proof, or of the last try at one; else as they were reached at the ceiling. Nothing where
/// one process serves.
std::optional<WorkerCoverage> WorkersOf(const RunFacts& facts);

}  // namespace mlprof::server
