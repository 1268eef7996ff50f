// Phase "plateau": the objective's load goes on until memory has settled, or is seen to grow.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// Leaves the memory findings in the profile, with `leakSuspected` where it grows.
PhaseResult<void> Plateau(RunContext& context, RunningModel& model);

/// Where memory was seen to grow: when it reaches `limit` at the rate measured last, in the
/// findings and in the warning. Nothing otherwise.
void ForecastOutOfMemory(RunContext& context, Bytes limit);

}  // namespace mlprof::phases
