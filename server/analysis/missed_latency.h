// Whether a load that is not over has missed a latency that is asked for. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "common/domain/objective.h"
#include "server/analysis/latency.h"

namespace mlprof::server {

/// True where so many of the visits are over a limit that its percentile is, too, once `requests`
/// were served, however fast the others are (curtailed sampling). Twice as many as the percentile
/// leaves beyond it: each row counts equally, and one that is over may be visited again. `visits`:
/// of whole blocks of rows (row_order.h); fewer than kBlockRows show nothing.
bool HasMissedLatency(std::span<const Visit> visits, std::size_t requests,
                      const Objective& objective);

}  // namespace mlprof::server
