// What a user is told of other work on the host. Pure.
#pragma once

#include <vector>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// What to do about it: the beginning of an advice.
inline constexpr const char* kWhenQuiet =
    "`mlprof profile rerun NAME --when-quiet` asks again once nothing else runs, or after an hour";

/// `hostLoadUnknown` and `noisyHost`, as far as they apply.
std::vector<Warning> NoiseWarnings(const RunFacts& facts);

}  // namespace mlprof::server
