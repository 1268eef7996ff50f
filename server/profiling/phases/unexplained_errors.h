// Rows that fail at limits alone, where nothing says why: a server whose heap is full may answer
// so, and tell nobody.
#pragma once

#include "server/profiling/phases/proof_attempt.h"
#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// What the unexplained failure of `attempt` lacks. Memory, where one container with the same CPU
/// and all memory serves its rows, and one more at the same limits does not: its verdict says so
/// then. Nothing, where that one holds: `attempt` is it then. Asked twice in a verification at
/// most, with more CPU the second time; not where the same limits held before, or the budget holds
/// no proof behind it.
PhaseResult<void> ExplainErrors(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                ProofAttempt& attempt);

/// Of a run that had less memory than one that held, and nothing less beside it: whether that is
/// why it failed. Unexplained errors are, but for those that are known not to be, and for those
/// that the quota may have brought of which nothing is known.
bool LackedMemory(const LimitedRun& run, const Verification& so_far);

}  // namespace mlprof::server::phases
