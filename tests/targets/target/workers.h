// Processes that share the listening socket, as a pre-forking server's do.
#pragma once

#include "tests/targets/target/options.h"

namespace target {

/// Children that inherit the listening socket and never accept.
void StartIdleWorkers(int count);

/// Keeps `options.workers` children serving: a dead one is replaced, and one that retires once its
/// replacement is ready.
[[noreturn]] void Supervise(int listener, const Options& options);

}  // namespace target
