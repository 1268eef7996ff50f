// A row that ends the model, or a process of it: named, left out, and gone on without it.
#pragma once

#include <memory>

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// After a replay at concurrency 1 that ends at a kill. False: the model is as it was (or the
/// replay was stopped, which CheckTarget tells). True: a row had ended it or a process of it; that
/// row is left out from now on, and `model` serves: a fresh one at the ceiling, or the same where
/// it has replaced the process itself. The end of the run where too many rows do, or no row is to
/// blame.
PhaseResult<bool> ReplaceKilled(RunContext& context, std::unique_ptr<RunningModel>& model,
                                const ReplayResult& replay);

}  // namespace mlprof::phases
