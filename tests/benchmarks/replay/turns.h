// One turn of each contestant, as figures by name.
#pragma once

#include "common/json/json.h"
#include "tests/benchmarks/replay/options.h"
#include "tests/benchmarks/replay/stage.h"

namespace mlprof::bench {

/// {"requestsPerSecond", "latencyP50InUs", …}; a figure that this turn cannot give is absent.
Json ReplayTurn(Stage& stage, const ReplayOptions& options);
Json WrkTurn(Stage& stage, const ReplayOptions& options);

}  // namespace mlprof::bench
