// An io_context's loop that nothing thrown by a callback ends.
#pragma once

#include "common/async/asio.h"

namespace mlprof {

/// Runs `io` until it has nothing more to do. What a callback throws is logged with `name`; the
/// other callbacks go on.
void RunLoop(net::io_context& io, const char* name) noexcept;

}  // namespace mlprof
