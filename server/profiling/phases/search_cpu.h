// Phase "searchCpu": the smallest step of CPU that holds the objective, found by changing the limit
// of the running container in place.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

PhaseResult<void> SearchCpu(RunContext& context, RunningModel& model);

}  // namespace mlprof::phases
