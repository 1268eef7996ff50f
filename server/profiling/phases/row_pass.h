// Phase "rows": every row at least once, one at a time, with its CPU time.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

PhaseResult<void> RowPass(RunContext& context, RunningModel& model);

}  // namespace mlprof::phases
