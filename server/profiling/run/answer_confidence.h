// How sure the numbers of an answer are, by what the run has found out. Pure.
#pragma once

#include <optional>
#include <vector>

#include "server/analysis/confidence.h"
#include "server/analysis/recommend.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// Whether nothing but runs that other work disturbed made the answer's limit as high as it is.
bool NoiseRaised(const RunFacts& facts, ResourceKind kind);

/// analysis/cpu_doubt.h, of what was tried on the way to `answer` and one step below it.
std::optional<Cores> CpuInDoubt(const RunFacts& facts, Cores answer,
                                const std::vector<FailedTry>& failed);

/// Of an answer that no three containers held. `failed`: what was tried for it, and fell short.
ConfidenceLabels ConfidencesOfUnproven(const RunFacts& facts, const Limits& answer,
                                       const std::vector<FailedTry>& failed);

/// `failed`: what was tried with less, and fell short.
ConfidenceLabels ConfidencesOf(const RunFacts& facts, const phases::Proof& proof,
                               const std::vector<FailedTry>& failed);

}  // namespace mlprof::server
