// What a user is told of first visits: rows that are dear the first time, answers from memory, and
// memory that is kept for every row. Pure.
#pragma once

#include <vector>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// `coldRows`, `responseCache` and `growsWithInputs`, as far as they apply.
std::vector<Warning> ColdWarnings(const RunFacts& facts);

}  // namespace mlprof::server
