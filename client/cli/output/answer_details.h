// A recommendation as a person wants to see it: the two numbers, how sure each is, what it
// sustains.
#pragma once

#include <optional>
#include <string>

#include "client/cli/output/details.h"
#include "common/domain/no_answer.h"
#include "common/domain/objective.h"
#include "common/domain/recommendation.h"

namespace mlprof::client::cli {

/// "    0.4 cores    512 MiB (0.5 GiB)", between empty lines.
void WriteNumbers(const Recommendation& answer, Details& details);
/// A line each for CPU and memory: range, confidence, reason.
void WriteBounds(const Recommendation& answer, Details& details);
/// That there is none, why, and the run that came nearest.
void WriteNoAnswer(const NoAnswer& no_answer, Details& details);
/// Whether less was tried: of which resources, and which are the least there is; "" where it is not
/// known.
std::string Tight(const Recommendation& answer);
/// What the answer sustains and the environment it needs.
void WriteTerms(const Recommendation& answer, Details& details);

/// "31 s at 0.3 cores, 6 s at 2 cores; 10 CPU seconds, 1.7 cores while it starts"; "" where no
/// start was measured.
std::string StartText(const Recommendation& answer, const std::optional<Cores>& ceiling);

std::string_view Text(Confidence confidence);  // "high"
/// "4 at a time, p95 up to 50 ms, at most 1% errors"
std::string Text(const Objective& objective);
/// "OMP_NUM_THREADS=1 MKL_NUM_THREADS=1"
std::string Text(const std::map<std::string, std::string>& environment);

}  // namespace mlprof::client::cli
