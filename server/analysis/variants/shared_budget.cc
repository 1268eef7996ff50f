#include "server/analysis/variants/shared_budget.h"

#include <algorithm>

namespace mlprof::server {

std::chrono::seconds NextShare(std::chrono::seconds total, const std::vector<SpentShare>& spent,
                               int left) {
  std::chrono::seconds rest = total;
  for (const SpentShare& share : spent) rest -= std::min(share.given, share.took);
  return std::max(std::chrono::seconds(1), rest / std::max(1, left));
}

}  // namespace mlprof::server
