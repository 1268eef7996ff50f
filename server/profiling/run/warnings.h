// What a user should know of a run beside its answer, as a function of what it has found out. Pure.
#pragma once

#include <vector>

#include "common/domain/recommendation.h"
#include "common/domain/warning.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// In the order of the phases, each code once. `hours_to_out_of_memory`: where memory grows.
std::vector<Warning> WarningsOf(const RunFacts& facts,
                                std::optional<double> hours_to_out_of_memory);

}  // namespace mlprof::server
