// Phase "loadCurve": more and more rows in flight at the ceiling, up to where more bring nothing.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// Leaves the curve and its knee in the profile's findings. The last thing done in the ample
/// container: what it keeps of so many rows at once is not the objective's need.
PhaseResult<void> MeasureLoadCurve(RunContext& context, RunningModel& model);

}  // namespace mlprof::phases
