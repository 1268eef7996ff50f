// What a verification knows to be too little of what only a restart can try. Pure.
#pragma once

#include <vector>

#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// Of each amount: it failed on a quiet host, or held and left no room.
std::vector<Amount> TooLittle(const Verification& so_far);

/// The most memory of it; 0 where nothing is known.
Bytes MostMemoryTooLittle(const Verification& so_far);

}  // namespace mlprof::server::phases
