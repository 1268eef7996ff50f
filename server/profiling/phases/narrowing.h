// From limits at which a container held downward, before they are proven: where raising them went
// past the need, where the model takes what its limit lets it take, and where the first container
// used so little that a step less holds it.
#pragma once

#include "server/profiling/phases/proof_attempt.h"
#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// All containers at the limits of `so_far`, or at lower ones that hold, which it then has, with
/// what was tried below them. `begun`: what was tried at the limits already.
PhaseResult<ProofAttempt> ProveNarrowly(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                        ProofAttempt begun = {});

}  // namespace mlprof::server::phases
