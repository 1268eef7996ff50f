// Phase "prepare": the image. Not counted against the budget.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

PhaseResult<void> Prepare(RunContext& context);

}  // namespace mlprof::phases
