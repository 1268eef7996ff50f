// A model that dies at its start because its root is read-only: the commonest harmless cause of one
// that does not start.
#pragma once

#include <optional>

#include "server/analysis/diagnosis.h"
#include "server/profiling/lab/lab.h"

namespace mlprof::server::phases {

/// Where the log of `death` speaks of a read-only file system, the model is started once more while
/// its agent watches its writes. The write that was refused, of several the one its log names,
/// whose folder the model may be given a copy of, within the bound of everything it writes. Nothing
/// where there is none to give: then `error` says what was found.
PhaseResult<std::optional<RefusedWrite>> FindRefusedFolder(Lab& lab, const Setup& setup,
                                                           const DeathEvidence& death,
                                                           ProfileError& error);

}  // namespace mlprof::server::phases
