// The reference once more, in turns with a limit that was slow beside it.
#pragma once

#include <chrono>
#include <optional>

#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct TurnPlan {
  bool fresh = false;             // a connection for each request
  bool tail_counts = false;       // the run has the requests that p99 takes
  bool refused_for_tail = false;  // and was slow for its slowest requests alone
  std::chrono::nanoseconds longest{0};
};

/// Whether the requests of a load took so much less CPU time than the median look of the reference
/// that the host must have become faster: no quota makes them cheaper. Not told by fewer than p95
/// takes, nor where rows come but once.
bool IsOnFasterHost(const Workload& workload, const Container& container, const ReplayResult& load,
                    const Reference& reference);

/// A look in `container` with its CPU limit lifted to the ceiling, and set again afterwards.
/// nullopt where a limit could not be set, or the look saw fewer requests than what it is to judge
/// takes: beside fewer than p99 takes, a run whose p99 was too slow would pass.
std::optional<Look> LookWithoutLimit(Lab& lab, const Yardstick& yardstick, Container& container,
                                     const TurnPlan& turn);

}  // namespace mlprof::server::phases
