// Phase "arenas": what the model takes under the objective's load without and with a bound on
// glibc's arenas. For advice alone: no answer depends on it.
#pragma once

#include "server/analysis/memory_savings.h"
#include "server/profiling/phases/limited_run.h"
#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// Whether the budget holds its two containers.
bool CanTryArenas(Lab& lab, const Yardstick& yardstick);

/// Two fresh containers at the answer. Nothing where a row of either failed, or it was stopped,
/// or where they differ by no more than those that proved the answer do.
std::optional<ArenaTrial> TryFewerArenas(Lab& lab, const Yardstick& yardstick, const Proof& proof);

}  // namespace mlprof::server::phases
