#include "server/replay/replay_plan.h"

namespace mlprof {

std::vector<std::uint32_t> ReplayResult::SuccessLatencies() const {
  std::vector<std::uint32_t> latencies;
  latencies.reserve(requests.size());
  for (const RequestRecord& request : requests) {
    if (request.Succeeded()) latencies.push_back(request.latency_us);
  }
  return latencies;
}

}  // namespace mlprof
