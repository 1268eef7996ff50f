// Phase "soak": the objective's load at the answer for as long as somebody asked, in one container.
// What a short proof cannot show: a kill that is rare, and memory that grows slowly.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "server/analysis/memory_plateau.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct SoakFacts {
  double seconds = 0;         // of load
  std::int64_t requests = 0;  // that were answered in it
  std::int64_t failures = 0;
  PlateauVerdict memory = {};              // over the container's whole life
  std::optional<std::string> failed = {};  // why the answer did not hold
  /// What ended it that no limit would have mended: a full disk.
  std::optional<ProfileError> ended_by = {};
  bool whole = false;  // it went on for as long as was asked
};

/// Nothing is soaked where the engine has no
/// container for it, or the budget ends before the model is ready. Latencies are told by its trials
/// and judged by nothing: over hours other work on the host makes some minute slow. Takes some 75
/// MB an hour for the container's samples, and 8 bytes a request.
PhaseResult<SoakFacts> Soak(Lab& lab, const Yardstick& yardstick, const Limits& answer,
                            std::chrono::seconds time);

}  // namespace mlprof::server::phases
