// One fresh container at some limits: started, warmed up, replayed and judged.
#pragma once

#include <chrono>
#include <vector>

#include "common/domain/trial.h"
#include "server/analysis/noise.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/verdict.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct LimitedRunPlan {
  Limits limits;
  TrialPurpose purpose = TrialPurpose::kVerification;
  LoadTime load;  // of the measured load
};

struct LimitedRun {
  Trial trial;
  Verdict verdict;
  std::vector<std::uint32_t> latencies;
  ResourceUse use;  // over the whole life of the container
  NoiseEvidence noise;
  Reference reference;  // the fastest look, this run's among them
};

/// Swap off, paying for its own page cache. The trial is recorded.
PhaseResult<LimitedRun> RunAtLimits(Lab& lab, const Yardstick& yardstick,
                                    const LimitedRunPlan& plan);

/// What a run takes before its measured load begins: start, heavy rows, warm-up.
std::chrono::nanoseconds TimeBeforeLoad(const Yardstick& yardstick);

/// Whether one more run leaves enough of the budget for the three that prove an answer.
bool LeavesRoomToProve(const Budget& budget, const Yardstick& yardstick);

}  // namespace mlprof::server::phases
