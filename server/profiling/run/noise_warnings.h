// What a user is told of other work on the host. Pure.
#pragma once

#include <vector>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// `hostLoadUnknown` and `noisyHost`, as far as they apply.
std::vector<Warning> NoiseWarnings(const RunFacts& facts);

}  // namespace mlprof::server
