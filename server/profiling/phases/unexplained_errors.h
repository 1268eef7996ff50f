// Rows that are answered by errors at limits alone, where nothing says why: a heap that is full may
// answer so and tell nobody.
#pragma once

#include "server/profiling/phases/proof_attempt.h"
#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// Whether it is memory that `failed` lacks, where its errors are unexplained: one more run, with
/// the same CPU and all memory, tells, once for a verification. Sets the shortage of its verdict.
/// As it is where memory cannot be raised, or the budget does not hold a run.
PhaseResult<void> ExplainErrors(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                LimitedRun& failed);

/// Of a run that had less memory than one that held, and nothing less beside it: whether that is
/// why it failed.
bool LackedMemory(const Verdict& verdict);

}  // namespace mlprof::server::phases
