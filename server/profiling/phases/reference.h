// What limits are judged beside: how the model did without a CPU limit, and how long things take.
// Values; the functions are pure.
#pragma once

#include <chrono>
#include <optional>
#include <set>

#include "common/domain/limits.h"
#include "common/domain/trial.h"
#include "server/profiling/lab/setup.h"
#include "server/profiling/lab/workload.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// The objective's load in the container at the ceiling.
struct Reference {
  std::optional<double> p95_ms;
  std::optional<double> mean_ms;
  double error_share = 0;  // of the requests
  std::set<std::uint32_t> failing_rows = {};
};

/// `reference` with the run's p95 in place of its own where that is lower and the run tells of full
/// speed: the objective's load, enough requests, and no quota that held it back. Other work on the
/// host makes slow, never fast, so the fastest look counts.
Reference Fastest(const Reference& reference, const Trial& trial, const Workload& workload,
                  Cores ceiling);

/// A p95 so many times the reference, at the same limits: the host has become slower meanwhile.
inline constexpr double kSlowerHost = 1.05;

/// Failures of rows that did not fail without a CPU limit.
std::int64_t NewFailures(const Reference& reference, const ReplayResult& replay);

/// The longest latency that is no sign of a backlog: what the objective allows, else the reference.
double AcceptableMs(const Reference& reference, const Objective& objective);

/// How long the model took at the ceiling, at most.
struct Pace {
  double start_seconds = 0;
  double start_cpu_seconds = 0;
  double slowest_row_ms = 0;
};

/// What a run in a fresh container is set up with and judged by.
struct Yardstick {
  Setup setup;
  Workload workload;
  Reference reference;
  Pace pace;
};

}  // namespace mlprof::server::phases
