// Phase "warmUp": rows one at a time until latency and CPU per request are steady.
#pragma once

#include <memory>

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// `model` is another one afterwards where a row ended it.
PhaseResult<void> WarmUp(RunContext& context, std::unique_ptr<RunningModel>& model);

}  // namespace mlprof::phases
