// One fresh container at some limits: started, warmed up, replayed and judged.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/analysis/noise.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/verdict.h"
#include "server/analysis/worker_coverage.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/kept_container.h"
#include "server/profiling/phases/limited_run_plan.h"
#include "server/profiling/phases/reference.h"
#include "server/profiling/phases/run_times.h"

namespace mlprof::server::phases {

struct LimitedRun {
  Trial trial;
  Verdict verdict;
  std::vector<std::uint32_t> latencies;
  /// Of its part with a connection for each request, where it had one.
  std::optional<std::vector<std::uint32_t>> fresh_latencies = {};
  ResourceUse use;                             // over the whole life of the container
  std::optional<Bytes> usual_memory = {};      // unreclaimable, the median since it was ready
  Bytes address_space = {};                    // when it was ready (agent_protocol::Ready)
  std::optional<double> cost_of_ceiling = {};  // VerificationEvidence has more
  std::optional<double> collecting_cost = {};  // likewise
  bool killed = false;                         // the kernel killed a process of it for memory
  bool failed_in_burst = false;                // VerificationEvidence has more
  PagesReadBack read_back;  // under the measured load, once warm, or in a start that failed
  std::chrono::nanoseconds took{0};  // from the launch to its removal, or until it was kept
  NoiseEvidence noise;
  Look look;                            // of its measured load
  std::optional<Tail> tail = {};        // of it, beside what the run was judged by
  std::optional<Tail> fresh_tail = {};  // likewise of its part with a connection for each request
  /// Its CPU time a request over the reference's (CostBeside), where that is known.
  std::optional<double> cost = {};
  bool without_look = false;   // on a faster host than the reference's: it proves nothing
  bool futile = false;         // nothing was answered while it read its files back all the time
  Bytes files_of_others = {};  // analysis/files_of_others.h, since it was ready
  /// Why it proves nothing although it passed: it was too short, or did not pay for its files.
  std::optional<std::string> lacks = {};
  Reference reference;                         // with the look that was taken in turns, if any
  std::optional<WorkerCoverage> workers = {};  // where more than one process serves
  bool saw_all_rows = true;  // before its load, where that matters (Pace::first_pass)
};

/// Swap off, paying for its own page cache. The trial is recorded. `kept`: gets the container where
/// the run held and it has its limits still, what it had is closed before the launch.
PhaseResult<LimitedRun> RunAtLimits(Lab& lab, const Yardstick& yardstick,
                                    const LimitedRunPlan& plan, KeptContainer* kept = nullptr);

}  // namespace mlprof::server::phases
