// What requests would take under a CPU quota: a deterministic simulation of a server below the
// kernel's bandwidth control. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "common/domain/objective.h"
#include "common/units/cores.h"
#include "server/analysis/latency.h"

namespace mlprof::server {

/// What one request takes: CPU time first, then waiting for something that is no CPU.
struct RowWork {
  double cpu_ms = 0;
  double wait_ms = 0;
};

/// The model's server.
struct ServerShape {
  int workers = 1;         // requests served at a time; the others queue in order of arrival
  double parallelism = 1;  // cores that one request can use at once
  double most_cores = 1;   // that all together can use: the host's, or fewer behind a lock
};

/// `latencies` in microseconds from arrival (as scheduled) to the end.
struct QueueOutcome {
  LatencyDistribution latencies{{}};
  double requests_per_second = 0;
  double offered_per_second = 0;  // that arrived, of an open loop
  double cores = 0;               // mean use
  double throttled_share = 0;     // of the periods in which some request had work
};

/// Every period of 100 ms the server may use quota × 100 ms of CPU; once they are used up it stands
/// until the next. Running requests share the cores evenly. `rows` are taken in turn; none of them,
/// or no requests, gives an empty outcome. Time: some steps for each request and period.
QueueOutcome SimulateClosedLoop(std::span<const RowWork> rows, const ServerShape& server,
                                Cores quota, int concurrency, std::int64_t requests);

/// Arrivals at a rate above 0, however many are still in the server.
struct ArrivalPlan {
  double requests_per_second = 1;
  Arrivals arrivals = {};
  std::uint64_t seed = 1;
};
QueueOutcome SimulateOpenLoop(std::span<const RowWork> rows, const ServerShape& server, Cores quota,
                              const ArrivalPlan& plan, std::int64_t requests);

}  // namespace mlprof::server
