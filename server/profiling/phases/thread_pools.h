// Phase "threadPools": where the model's thread pools are sized by the host rather than by its
// quota, the size to use is tried in a fresh container and kept if it wins.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

/// Leaves the findings, and with a win the setting and the CPU limit that goes with it in the
/// context. `most_tasks`: the most threads seen in the ample container.
PhaseResult<void> TryThreadPools(RunContext& context, std::int64_t most_tasks);

}  // namespace mlprof::phases
