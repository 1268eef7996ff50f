// From what a run has found out to its answer. Pure.
#pragma once

#include <optional>

#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// Nothing before the first rows were measured.
std::optional<Recommendation> AnswerOf(const RunFacts& facts);

}  // namespace mlprof::server
