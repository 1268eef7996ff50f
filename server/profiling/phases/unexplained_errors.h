// Rows that fail at limits alone, where nothing says why: a server whose heap is full may answer
// so, and tell nobody.
#pragma once

#include "server/profiling/phases/proof_attempt.h"
#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// Gives the failure of `attempt` a shortage of memory where its rows fail for want of that: one
/// container with the same CPU and all memory serves them, and one more at the same limits does
/// not. Asked twice in a verification at most, with more CPU the second time; what chance or a
/// device may have done is not asked about, nor where the budget holds no proof behind it.
PhaseResult<void> BlameMemoryForErrors(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                       ProofAttempt& attempt);

/// Of a run that had less memory than one that held, and nothing less beside it: whether it is
/// known that this is why it failed.
bool LackedMemory(const LimitedRun& run, const Verification& so_far);

}  // namespace mlprof::server::phases
