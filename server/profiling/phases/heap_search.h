// The memory of a model whose runtime sizes its heap by the limit: what it uses says what it was
// given, and less of it shows in what a request costs long before it shows in a death.
#pragma once

#include <optional>

#include "server/profiling/phases/proof_attempt.h"
#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// Whether `run`, which passed, may become the answer for what it had of `kind`: it left room, and
/// its requests did not pay for memory. A heap takes less where it has less.
bool LeftRoom(const Yardstick& yardstick, const LimitedRun& run, ResourceKind kind,
              const Verification& so_far);

/// `run` held with `amount` and left no room, or requests paid for its memory: it may not become
/// the answer.
void NoteHeldBarely(const LimitedRun& run, const Amount& amount, Verification& so_far);

/// Whether the model takes what its limit lets it take, by one more run: with all memory, or with
/// half of it where `passed` had nearly all. nullopt where it does not, or that cannot be seen.
PhaseResult<std::optional<HeapByLimit>> SeeHeap(Lab& lab, Yardstick& yardstick,
                                                const LimitedRun& passed);

/// Where requests of `passed` may pay for its memory with CPU: tried with twice of it, until more
/// makes them no cheaper. Gives what passed last, and has its limits in `so_far`.
PhaseResult<ProofAttempt> DoubleHeap(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
                                     Verification& so_far);

/// A model that takes what its limit lets it take is tried with half of it, until that is too
/// little. Gives what passed last, and has its limits in `so_far`.
PhaseResult<ProofAttempt> HalveHeap(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
                                    Verification& so_far);

}  // namespace mlprof::server::phases
