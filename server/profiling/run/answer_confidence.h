// How sure the numbers of a proven answer are, by what the run has found out. Pure.
#pragma once

#include <vector>

#include "server/analysis/confidence.h"
#include "server/analysis/recommend.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// `failed`: what was tried with less, and fell short.
ConfidenceLabels ConfidencesOf(const RunFacts& facts, const phases::Proof& proof,
                               const std::vector<FailedTry>& failed);

}  // namespace mlprof::server
