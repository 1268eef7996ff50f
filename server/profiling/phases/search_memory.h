// Phase "searchMemory": how much of the files it has mapped the model needs resident, where those
// are more than the margin would hold. Fresh containers between what cannot be given back and the
// peak with its files: a live limit is never lowered below use, which kills.
#pragma once

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

/// `mapped_file`: the largest amount seen mapped in the ample container. Leaves the hot part in the
/// need and in the findings.
PhaseResult<void> SearchMemory(RunContext& context, Bytes mapped_file);

}  // namespace mlprof::phases
