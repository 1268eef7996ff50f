// From what a run has found out to what its profile says. Pure.
#pragma once

#include <vector>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// Sets the answer, or that there is none, the measurements, the findings, the host's noise and the
/// warnings, which come after the `given` ones (of the request, and of runs before this one).
void Render(const RunFacts& facts, const std::vector<Warning>& given, Profile& profile);

}  // namespace mlprof::server
