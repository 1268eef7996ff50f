// Whether a run has shown that no limit holds the objective. Pure.
#pragma once

#include <optional>

#include "common/domain/no_answer.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// Nothing while an answer may still be proven, and where the verification ended for another
/// reason: the budget, noise, or a replay that cannot send what was asked.
std::optional<NoAnswer> NoAnswerOf(const RunFacts& facts);

}  // namespace mlprof::server
