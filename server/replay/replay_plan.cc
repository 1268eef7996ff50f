#include "server/replay/replay_plan.h"

#include <algorithm>

namespace mlprof {

std::optional<std::uint32_t> ReplayResult::LastRowTaken() const {
  const auto broken = std::find_if(requests.rbegin(), requests.rend(), [](const auto& request) {
    return request.failure == agent_protocol::RowFailure::kReset;
  });
  return broken == requests.rend() ? last_sent : broken->row;
}

std::vector<std::uint32_t> ReplayResult::SuccessLatencies() const {
  std::vector<std::uint32_t> latencies;
  latencies.reserve(requests.size());
  for (const RequestRecord& request : requests) {
    if (request.Succeeded()) latencies.push_back(request.latency_us);
  }
  return latencies;
}

}  // namespace mlprof
