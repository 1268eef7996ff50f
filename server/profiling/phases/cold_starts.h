// Phase "coldStarts": the model is started three times in the ample container: time, CPU and memory
// to ready. The last one is kept running for the phases that follow.
#pragma once

#include <memory>

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

PhaseResult<std::unique_ptr<RunningModel>> ColdStarts(RunContext& context);

}  // namespace mlprof::phases
