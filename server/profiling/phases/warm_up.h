// Phase "warmUp": rows one at a time until latency and CPU per request are steady.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

PhaseResult<void> WarmUp(RunContext& context, RunningModel& model);

}  // namespace mlprof::phases
