// One step of CPU less, in a container that has just held the answer: the same load under a lower
// limit, judged by what a request costs there.
#pragma once

#include <cstdint>
#include <optional>

#include "server/analysis/beside_reference.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct CpuStep {
  Limits limits;
  /// Of three, the two that tell that the step does not hold; 0: it tells nothing. Across a whole
  /// number of cores, by which runtimes size their pools, one at most: another is a fresh
  /// container's.
  int failures = 0;
  std::optional<Tail> tail;   // where the slowest requests alone made it fail
  std::int64_t requests = 0;  // that succeeded, at these limits
  bool killed = false;        // a process of it, for memory
};

/// nullopt where cost does not tell (a rate, an objective for latency, devices), or a container
/// that was started with less would not be this one (settings for thread pools, rows that come but
/// once); at the floor, and where the budget does not hold it. The trials are recorded, and the
/// container's limit is not put back. `usual_cost`: CPU seconds of a request in the load that it
/// held.
std::optional<CpuStep> TryCpuStep(Lab& lab, const Yardstick& yardstick, Container& container,
                                  std::optional<double> usual_cost);

}  // namespace mlprof::server::phases
