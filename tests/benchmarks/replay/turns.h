// One turn of each contestant, as figures by name.
#pragma once

#include "common/json/json.h"
#include "tests/benchmarks/container/bench_container.h"
#include "tests/benchmarks/replay/options.h"

namespace mlprof::server::bench {

/// {"requestsPerSecond", "latencyP50InUs", …}; a figure that this turn cannot give is absent.
Json ReplayTurn(BenchContainer& container, const ReplayOptions& options);
Json WrkTurn(BenchContainer& container, const ReplayOptions& options);

}  // namespace mlprof::server::bench
