// Phase "plateau": the objective's load goes on until memory has settled, or is seen to grow.
#pragma once

#include "common/domain/findings.h"
#include "server/analysis/recommend.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/lab/workload.h"

namespace mlprof::server::phases {

struct PlateauFacts {
  bool settled = false;
  MemoryTrend trend = MemoryTrend::kUnknown;
  std::int64_t requests = 0;  // over which it was judged
  std::optional<double> bytes_per_request;
  std::optional<double> steady_confidence;
  std::optional<Bytes> serving_low;  // the lowest level it served at, once warm
  Bytes serving_peak;                // of the container's whole life
  Bytes peak_since_first_row;        // what its start took is not in it
  /// It grows so fast that it would reach the ceiling before the phases at the ceiling are through.
  bool outgrows = false;
};

PhaseResult<PlateauFacts> WatchMemory(Lab& lab, Container& container, const Workload& workload);

/// Where memory was seen to grow: when it reaches `limit` at `requests_per_second`. Nothing where
/// it does not grow, or the rate is not known. Pure.
std::optional<double> HoursToOutOfMemory(const PlateauFacts& facts, const MeasuredNeed& need,
                                         Bytes limit, double requests_per_second);

}  // namespace mlprof::server::phases
