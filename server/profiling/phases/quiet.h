// Waits until other work leaves the machine quiet enough to measure on.
#pragma once

#include "server/profiling/lab/lab.h"

namespace mlprof::server::phases {

/// Watches the machine of a container in which nothing has been started, until two stretches on end
/// were quiet, an hour has passed, its load cannot be read, or the run is stopped. What it saw is
/// not held against the run.
void AwaitQuiet(Lab& lab, const Container& idle);

}  // namespace mlprof::server::phases
