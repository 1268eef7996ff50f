// Where a load is about what this host can replay at all, the replay would be measured, not the
// model.
#pragma once

#include "server/profiling/run_context.h"

namespace mlprof::phases {

/// Whether so many requests a second leave the replay too little room; then it is warned of, once.
bool IsReplayBound(RunContext& context, double requests_per_second);

}  // namespace mlprof::phases
