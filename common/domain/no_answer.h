// That there is no answer to a question, although the model runs: what came nearest to one.
#pragma once

#include <optional>
#include <string>

#include "common/domain/limits.h"

namespace mlprof {

/// A run, and what it lacked.
struct NearestRun {
  Limits limits;
  std::optional<int> concurrency;             // of a closed loop
  std::optional<double> requests_per_second;  // of an open loop: as scheduled
  std::optional<double> latency_p95_ms;
  std::optional<double> queries_per_second;  // that were served
  std::string short_of;                      // one sentence
  bool operator==(const NearestRun&) const = default;
};

struct NoAnswer {
  std::string code;  // one of those below
  std::string message;
  std::optional<NearestRun> nearest;  // absent where no run came near
  bool operator==(const NoAnswer&) const = default;
};

/// The model runs at the ceiling, and no limit holds the objective.
inline constexpr const char* kObjectiveNotHeld = "objectiveNotHeld";
/// More load than the profile measured.
inline constexpr const char* kBeyondMeasured = "beyondMeasured";

}  // namespace mlprof
