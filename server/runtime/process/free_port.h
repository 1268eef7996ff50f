// TCP ports of this machine, where models share its network.
#pragma once

#include "common/result/result.h"

namespace mlprof::server::process {

/// Whether a server could listen at `port` now, on every address. kConflict, with the remedy, where
/// one does already.
Status CheckPortFree(int port);

/// One that nobody listens at. Another program may take it before the model does, which then says
/// so.
Result<int> FindFreePort();

}  // namespace mlprof::server::process
