// Phase "prepare": the image. Not counted against the budget.
#pragma once

#include <filesystem>

#include "server/profiling/budget/run_end.h"
#include "server/profiling/progress/reporting.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::phases {

/// Writes the output of whatever prepares it to the log as it comes.
PhaseResult<PreparedImage> Prepare(Runtime& runtime, const PrepareRequest& request,
                                   Journal& journal, Announcer& announcer, RunStop& run_stop);

}  // namespace mlprof::server::phases
