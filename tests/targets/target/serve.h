// HTTP/1.1 with keep-alive, a thread a connection.
#pragma once

#include <sys/types.h>

#include "tests/targets/target/work.h"

namespace target {

/// Exits where the port cannot be had.
int Listen(const Options& options);

/// GET answers 200 and costs nothing; any other method is the model's. Tells the worker `replaced`
/// to leave once it can serve; 0: nobody.
[[noreturn]] void AcceptForEver(int listener, const Options& options, pid_t replaced = 0);

}  // namespace target
