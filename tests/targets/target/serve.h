// HTTP/1.1 with keep-alive, a thread a connection.
#pragma once

#include "tests/targets/target/work.h"

namespace target {

/// Exits where the port cannot be had.
int Listen(int port);

/// GET answers 200 and costs nothing; any other method is the model's.
[[noreturn]] void AcceptForEver(int listener, const Options& options);

/// Keeps `options.workers` children serving, as a pre-forking server does.
[[noreturn]] void Supervise(int listener, const Options& options);

}  // namespace target
