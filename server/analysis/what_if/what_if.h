// The answer for another objective or margin, from what a profile stored; nothing is run. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/trial.h"
#include "common/result/result.h"

namespace mlprof::server {

struct WhatIfQuestion {
  Objective objective;
  std::optional<double> memory_margin;  // share of the need, 0 to 10; absent: the answer's own
  std::optional<int> workers = {};      // processes that serve; absent: as many as were measured
};

struct WhatIfAnswer {
  std::optional<Recommendation> recommendation;
  bool within_measured = true;
  std::vector<std::string> notes;  // sentences: what lies outside, and how far to trust the rest
  std::optional<NoAnswer> no_answer = {};  // where there is no recommendation
};

/// The profile's own question gets its own answer, as it was verified. Otherwise nothing is
/// verified. CPU: the smallest on the 0.1 grid (steps of a tenth above 2 cores) whose simulated
/// latencies stay under 0.95 × the objective's (without one: p95 within 1.10 × that at the
/// ceiling), and for a rate not below rate × CPU per request / 0.70. Memory: the answer's own, or
/// the measured need with the margin, and what each request in flight beyond the tested ones takes;
/// for another number of workers, what one has for itself for each more or less of them.
/// No more load than was measured is answered for, and nothing that the ceiling would not hold:
/// then there is no answer but what came nearest. The confidence is the profile's own at most, and
/// never high. kConflict for a profile without a recommendation, or without anything to simulate
/// from; kInvalidArgument for an objective that cannot be.
Result<WhatIfAnswer> AnswerWhatIf(const Profile& profile, std::span<const Trial> trials,
                                  std::span<const RowRecord> rows, const WhatIfQuestion& question);

}  // namespace mlprof::server
