// Phase "preflight": what the host lets one measure. A server that does nothing is replayed in the
// model's place, over the same way, for what the replay itself can do; meanwhile the host is
// watched for other work.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

PhaseResult<void> Preflight(RunContext& context);

}  // namespace mlprof::phases
