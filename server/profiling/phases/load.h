// Phase "load": the objective's load in the ample container. Gives the reference latency, the need
// and the provisional answer.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

PhaseResult<void> Load(RunContext& context, RunningModel& model);

}  // namespace mlprof::phases
