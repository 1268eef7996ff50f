// A recommendation as a person wants to see it: the two numbers, how sure each is, what it
// sustains.
#pragma once

#include <string>

#include "client/cli/output/details.h"
#include "common/domain/objective.h"
#include "common/domain/recommendation.h"

namespace mlprof::client::cli {

/// "    0.4 cores    512 MiB (0.5 GiB)", between empty lines.
void WriteNumbers(const Recommendation& answer, Details& details);
/// A line each for CPU and memory: range, confidence, reason.
void WriteBounds(const Recommendation& answer, Details& details);
/// What the answer sustains and the environment it needs.
void WriteTerms(const Recommendation& answer, Details& details);

std::string_view Text(Confidence confidence);  // "high"
/// "4 at a time, p95 up to 50 ms, at most 1% errors"
std::string Text(const Objective& objective);
/// "OMP_NUM_THREADS=1 MKL_NUM_THREADS=1"
std::string Text(const std::map<std::string, std::string>& environment);

}  // namespace mlprof::client::cli
