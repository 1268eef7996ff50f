// One fresh container at some limits: started, warmed up, replayed and judged.
#pragma once

#include <chrono>
#include <vector>

#include "common/domain/trial.h"
#include "server/analysis/noise.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/verdict.h"
#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

struct LimitedRunPlan {
  Limits limits;
  TrialPurpose purpose = TrialPurpose::kVerification;
  std::chrono::nanoseconds time{0};     // of the measured load, at least
  std::size_t min_requests = 0;         // of it, as far as `longest` allows
  std::chrono::nanoseconds longest{0};  // of it, at most
};

struct LimitedRun {
  Trial trial;
  Verdict verdict;
  std::vector<std::uint32_t> latencies;
  ResourceUse use;  // over the whole life of the container
  NoiseEvidence noise;
};

/// Unpinned, swap off, paying for its own page cache, with the pool settings of the run. The trial
/// is recorded.
PhaseResult<LimitedRun> RunAtLimits(RunContext& context, const LimitedRunPlan& plan);

/// What a run takes before its measured load begins: start, heavy rows, warm-up.
std::chrono::nanoseconds TimeBeforeLoad(const RunContext& context);

/// Whether one more run leaves enough of the budget for the three that prove an answer.
bool LeavesRoomToProve(RunContext& context);

}  // namespace mlprof::phases
