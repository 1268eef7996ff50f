#include "server/analysis/successors.h"

#include <algorithm>

namespace mlprof::server {
namespace {

// Of a worker's memory: what rows in flight take seldom comes to as much. Chosen, not measured.
constexpr std::int64_t kOverlapPercent = 75;

}  // namespace

Bytes BeyondPeakForSuccessors(Bytes level, Bytes peak, int workers, Bytes each) {
  if ((peak - level).count() * 100 < each.count() * kOverlapPercent) return {};
  return std::max(Bytes(), level + Bytes(workers * each.count()) - peak);
}

}  // namespace mlprof::server
