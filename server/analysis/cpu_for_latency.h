// Where a search for CPU begins that has a latency to hold. Pure.
#pragma once

#include <optional>

#include "common/domain/measurements.h"
#include "common/domain/objective.h"
#include "common/units/cores.h"

namespace mlprof::server {

/// The cores with which a closed loop, measured without a CPU limit, would just hold the latencies
/// of `objective`, if less CPU made requests longer by what they compute alone. Where the loop used
/// U cores, L ms of which T are allowed take U L / (T - w L): in flight together they compute U L
/// (Little's law), and w = max(0, 1 - U) is the share of L in which nothing was computed. Of
/// several latencies the one that takes most. What a quota's stops add is not in it: a limit to try
/// first, no answer. nullopt where no latency is asked for, one was not measured, or the waiting
/// alone takes what is allowed.
std::optional<Cores> CpuForLatency(const Objective& objective, double cores_used,
                                   const Measurements& load);

}  // namespace mlprof::server
