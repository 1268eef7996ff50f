// What the model did while it had a row: the operations of its devices by the rows of the replay.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/devices/xspace/row_visits.h"
#include "server/devices/xspace/time_limit.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

struct RowOp {
  std::string name;  // "convolution.3"
  std::string category;
  std::string program;     // "jit_score"; "" where it is not told
  double self_ms = 0;      // a visit
  double share = 0;        // of the row's time; above 1 where several threads or devices ran it
  double occurrences = 0;  // a visit
};

/// Means over the row's visits.
struct RowOps {
  std::uint32_t row = 0;
  std::size_t visits = 0;
  double latency_ms = 0;
  double slowest_ms = 0;
  double others_in_flight = 0;  // rows beside it, whose operations are told with its own
  double ops_ms = 0;            // self time of all operations
  double ops_share = 0;         // as RowOp::share
  std::vector<RowOp> top;       // what takes most first; kTopOpsOfRow at most
};
inline constexpr std::size_t kTopOpsOfRow = 3;

/// Of the rows that `asked` are visits of, the `most` that took longest, the slowest first. `all`:
/// whatever was under way meanwhile, theirs included.
std::vector<RowOps> SlowestRows(const Trace& trace, const RowVisits& all,
                                const std::vector<RowVisit>& asked, std::size_t most,
                                const TimeLimit& time);

}  // namespace mlprof::server::xspace
