// How long a queue of requests remembers: what a load must last many times over to show its
// latencies. Pure.
#pragma once

#include <optional>
#include <span>

#include "common/domain/objective.h"
#include "common/units/cores.h"
#include "server/analysis/latency.h"

namespace mlprof::server {

/// What rows take one at a time. Zero: not known.
struct RowTimes {
  double mean_seconds = 0;
  double mean_square = 0;  // of the seconds
  double cpu_seconds = 0;  // mean

  static RowTimes Of(std::span<const Visit> visits, double cpu_seconds);
};

/// The relaxation time of the waiting at a rate, in seconds, if the rows were served one after the
/// other with `cpu` cores: 2 v / (1 - r)^2, where r is the rate times the mean service and v the
/// variance of the work that arrives in a second (of a diffusion with that drift and variance; for
/// M/M/1 near saturation 4 r s / (1 - r)^2, with the service s). Less CPU makes every row longer by
/// what it computes. A server that serves rows side by side remembers for less. nullopt where that
/// is not known: no rate, arrivals as recorded, rows that nobody timed, or more of them than one
/// after the other can be served.
std::optional<double> QueueMemorySeconds(const Objective& objective, const RowTimes& rows,
                                         Cores cpu);

}  // namespace mlprof::server
