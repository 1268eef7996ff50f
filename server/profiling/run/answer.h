// From what a run has found out to what its profile says: the answer, then the rest. Pure.
#pragma once

#include <optional>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// As all phases so far show it.
MeasuredNeed NeedOf(const RunFacts& facts);
/// What successors of workers take beyond the peak at the ceiling, by the containers that are
/// closed (server/analysis/successors.h).
Bytes SuccessorsOf(const RunFacts& facts);

/// That the need asks for, with what a search found in place of it; never proven.
Limits UnprovenLimits(const RunFacts& facts);

/// The limits that passed with their runs; null while none have.
const phases::Proof* ProofOf(const RunFacts& facts);

/// What was tried with less than the answer, and fell short.
std::vector<FailedTry> FailedBefore(const RunFacts& facts);

/// What the containers of a proof were seen to sustain: the objective's load. Of a rate that is the
/// rate itself, which each of them kept up with; else the least of what they served.
phases::ProvenLoad LoadOf(const phases::Proof& proof, const Objective& objective);

/// Of the proof, or of the last try at one; else as they were reached at the ceiling. Nothing where
/// one process serves.
std::optional<WorkerCoverage> WorkersOf(const RunFacts& facts);

/// Nothing before the first rows were measured.
std::optional<Recommendation> AnswerOf(const RunFacts& facts);

/// Sets the answer, or that there is none, the measurements, the findings, the host's noise and the
/// warnings, which come after the `given` ones (of the request, and of runs before this one).
void Render(const RunFacts& facts, const std::vector<Warning>& given, Profile& profile);

}  // namespace mlprof::server
