// Memory that glibc's malloc keeps because threads have arenas of their own. Pure.
#pragma once

#include <map>
#include <string>

#include "common/units/bytes.h"

namespace mlprof::server {

/// What was seen of a model that serves.
struct ArenaEvidence {
  int threads = 0;  // of all processes together
  int processes = 1;
  std::map<std::string, std::string> environment = {};  // what the caller set himself
  Bytes start_peak = {};                                // unreclaimable
  Bytes serving_peak = {};
};

/// Whether two containers are worth it to see what fewer arenas save: there are four threads and
/// more for each process, memory under load rose by a tenth and 16 MiB above what the start took,
/// and the caller has not decided it himself. Each thread that meets a lock gets an arena, up to
/// eight for each core, and what is freed in one stays in it (mallopt(3), M_ARENA_MAX).
bool ArenasSuspected(const ArenaEvidence& evidence);

}  // namespace mlprof::server
