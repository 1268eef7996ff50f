// Whether responses wait for a delayed acknowledgement: a server that writes a response in pieces
// on a connection without TCP_NODELAY sends the second piece only once the first was acknowledged
// (Nagle's algorithm), which Linux puts off by 40 ms. Pure.
#pragma once

#include <optional>
#include <span>

#include "server/analysis/latency.h"

namespace mlprof::server {

struct DelayedAck {
  double share = 0;      // of the responses over connections kept alive
  double median_ms = 0;  // of them
  double quick_ms = 0;   // the median of the same rows where they did not wait
};

/// `kept`: over connections kept alive; `others`: over new ones, where there were any, which
/// acknowledge at once. Told where at least a twentieth of `kept` took 40 to 48 ms, three times as
/// many as within 9 ms around that (a queue's latencies are spread), and most of the rows among
/// them took at least 30 ms less another time, as a tenth of all did: rows that simply take that
/// long do not.
std::optional<DelayedAck> FindDelayedAck(std::span<const Visit> kept,
                                         std::span<const Visit> others);

}  // namespace mlprof::server
