// Phase "verify": a fresh container at exactly the answer, swap off, must hold the objective. What
// falls short is raised and tried again.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

/// Leaves the final recommendation and its measurements in the profile.
PhaseResult<void> Verify(RunContext& context);

}  // namespace mlprof::phases
