// What limits are judged beside: how the model did without a CPU limit, and how long things take.
// Values; the functions are pure.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/sample.h"
#include "server/analysis/beside_reference.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/steady_state.h"
#include "server/analysis/verdict.h"
#include "server/profiling/lab/setup.h"
#include "server/profiling/lab/workload.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// The objective's load without a CPU limit below the ceiling, seen several times over the run.
struct Reference {
  std::optional<double> p95_ms;  // the median of the looks
  std::optional<double> mean_ms;
  double error_share = 0;  // of the requests
  std::set<std::uint32_t> failing_rows = {};
  bool full_heap_in_bursts = false;    // its heap was full there, too, when rows met
  std::vector<Look> looks = {};        // the newest few, the oldest first
  std::vector<Look> fresh_looks = {};  // likewise, with a connection for each request
};

/// What limits are judged by, of a replay by `plan`. `samples`: of the container meanwhile, which
/// tell what the quota stopped. Of very many requests an even part.
Look LookAt(const ReplayPlan& plan, const ReplayResult& replay,
            std::span<const Sample> samples = {});

/// The replay as fast as it may have been without the stops of the quota
/// (server/analysis/stopped_time.h).
ReplayResult WithoutStops(ReplayResult replay, std::span<const Sample> samples);

/// What its requests took of the CPU, into the look. `use`: while they ran.
void SetCost(const ResourceUse& use, const ReplayResult& replay, Look& look);

/// `reference` with one look more, which is no look where it saw fewer requests than p95 takes,
/// unless it is the first. Other work on the host makes some of them slow, and chance makes some
/// fast: their median counts.
Reference WithLook(Reference reference, Look look);
/// With this look alone.
Reference OnlyWith(const Reference& reference, const Look& look);

/// The same where rows have a connection each: what such a load is judged beside, a reference with
/// one such look more, and one with this look alone.
Reference FreshOf(const Reference& reference);
Reference WithFreshLook(Reference reference, Look look);
Reference OnlyWithFresh(Reference reference, const Look& look);

/// What it would be on a host where a request takes `cost` times the CPU time, if nothing but work
/// made its latency: on a faster one the reference is no faster than this.
Reference OnHostOfCost(Reference reference, double cost);

/// What `run`, of a replay by `plan`, was beside the reference, into the evidence.
void SetBeside(const Reference& reference, const ReplayPlan& plan, const Look& run,
               VerificationEvidence& evidence);

/// Whether a load of so many rows in flight at any time is the objective's.
bool IsObjectivesLoad(const Objective& objective, int concurrency);

/// A p95 so many times the reference, at the same limits: the host has become slower meanwhile.
inline constexpr double kSlowerHost = 1.05;

/// So many come within `time`, at the rate of its newest look; 0 where there is none.
double RequestsWithin(const Reference& reference, std::chrono::nanoseconds time);

/// CPU time of a request: the median of its looks. nullopt where none tells it.
std::optional<double> UsualCost(const Reference& reference);

/// A window of the warm model, by the median of its looks in both figures.
std::optional<WarmUpWindow> WarmWindow(const Reference& reference);

/// Failures of rows that did not fail without a CPU limit.
std::int64_t NewFailures(const Reference& reference, const ReplayResult& replay);

/// The longest latency that is no sign of a backlog: what the objective allows, else the reference.
double AcceptableMs(const Reference& reference, const Objective& objective);

/// All rows for the first time, one after the other, at the ceiling.
struct FirstPass {
  double seconds = 0;
  double cpu_seconds = 0;
  /// First visits cost more than later ones, or leave more memory: no load is measured before every
  /// row was visited.
  bool matters = false;
  /// They are known to cost no more than later ones, by a tenth at most.
  bool costs_the_same = false;
};

/// How long the model took at the ceiling, at most.
struct Pace {
  double start_seconds = 0;
  double start_cpu_seconds = 0;
  double slowest_row_ms = 0;
  // Until every serving process had had a row, where there is more than one.
  double reach_seconds = 0;
  double reach_cpu_seconds = 0;
  FirstPass first_pass = {};
};

/// What the model took with all the memory there is, which may be more than it takes with less.
struct UseAtCeiling {
  Bytes memory = {};                                 // the peak, the agent's own not counted
  std::optional<double> cpu_seconds_per_query = {};  // the least under the objective's load
  Bytes address_space = {};                          // when it was ready; none: not known
};

/// What was seen of a container that is judged.
struct SeenOfContainer {
  const ResourceUse& whole_life;
  const ResourceUse& serving;  // during the measured load
  const std::string& log;
};

/// What the run shows of a heap that follows the limit (server/analysis/heap.h), into the evidence,
/// whose failures and death are known. A log tells of a heap only what a death or several failures
/// that are new at the limit confirm.
void SetHeap(const UseAtCeiling& at_ceiling, const ReplayResult& replay,
             const SeenOfContainer& seen, VerificationEvidence& evidence);

/// What a run in a fresh container is set up with and judged by.
struct Yardstick {
  Setup setup;
  Workload workload;
  Reference reference;
  Pace pace;
  UseAtCeiling at_ceiling = {};
};

}  // namespace mlprof::server::phases
