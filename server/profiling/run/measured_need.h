// What a run has found that the model needs, before anything is proven. Pure.
#pragma once

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// As all phases so far show it.
MeasuredNeed NeedOf(const RunFacts& facts);

/// What successors of workers take beyond the peak at the ceiling, by the containers that are
/// closed (server/analysis/successors.h).
Bytes SuccessorsOf(const RunFacts& facts);

/// That the need asks for, with what a search found in place of it; never proven.
Limits UnprovenLimits(const RunFacts& facts);

}  // namespace mlprof::server
