// Phase "tightness": one step lower, each resource by itself. What fails there certifies the
// answer; what holds, again and again, becomes it.
#pragma once

#include "server/profiling/phases/verify.h"
#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

/// Starts from `proof` and leaves the lower answer, and whether it is tight, in the profile. A
/// budget that ends meanwhile is no error: the answer stands.
PhaseResult<void> TestTightness(RunContext& context, Proof proof);

}  // namespace mlprof::phases
