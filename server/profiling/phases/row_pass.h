// Phase "rows": every row at least once, one at a time, with its CPU time.
#pragma once

#include <memory>

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// `model` is another one afterwards where a row ended it.
PhaseResult<void> RowPass(RunContext& context, std::unique_ptr<RunningModel>& model);

}  // namespace mlprof::phases
