// What runs that failed show, and what a verification knows by them to be too little. Pure.
#pragma once

#include <vector>

#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

/// The limits of `run`, which failed for want of `shortage`.
FailedTry FailedFor(const LimitedRun& run, ResourceKind shortage);

/// Of each amount that only a restart can try: it failed on a quiet host, or held and left no room.
std::vector<Amount> TooLittle(const Verification& so_far);

/// The most memory of it; 0 where nothing is known.
Bytes MostMemoryTooLittle(const Verification& so_far);

}  // namespace mlprof::server::phases
