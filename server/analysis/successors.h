// What workers take whose successors serve before they have gone (max_requests, hot reload). Pure.
#pragma once

#include "common/units/bytes.h"

namespace mlprof::server {

/// Workers that share their rows evenly are due to be replaced at about the same time: one day all
/// of them are there twice. What that takes beyond the peak that was seen; 0 where the peak shows
/// no successor beside the one it replaces. `level`: the least that the warm model served with;
/// `each`: what a worker has for itself.
Bytes BeyondPeakForSuccessors(Bytes level, Bytes peak, int workers, Bytes each);

}  // namespace mlprof::server
