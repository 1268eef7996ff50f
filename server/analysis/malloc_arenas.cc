#include "server/analysis/malloc_arenas.h"

namespace mlprof::server {
namespace {

// Chosen, not measured; it decides what is tried, not the answer.
constexpr int kThreads = 4;
constexpr double kRiseShare = 0.1;
constexpr Bytes kLeastRise = MiB(16);

}  // namespace

bool ArenasSuspected(const ArenaEvidence& evidence) {
  const auto& set = evidence.environment;
  // Another allocator has none of glibc's.
  if (set.contains("MALLOC_ARENA_MAX") || set.contains("GLIBC_TUNABLES") ||
      set.contains("LD_PRELOAD")) {
    return false;
  }
  if (evidence.processes < 1 || evidence.threads < kThreads * evidence.processes) return false;
  const Bytes rise = evidence.serving_peak - evidence.start_peak;
  return rise >= kLeastRise && rise >= Scale(evidence.serving_peak, kRiseShare);
}

}  // namespace mlprof::server
