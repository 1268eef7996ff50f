#include "server/replay/replay_plan.h"

#include <algorithm>

namespace mlprof::server {

std::optional<std::uint32_t> ReplayResult::LastRowTaken() const {
  // Rows that were sent after the death and before it was told failed as well, and the row that
  // caused it may have been sent once more and refused. So of the failed rows at the end the first
  // is the one.
  std::optional<std::uint32_t> row = last_sent;
  for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
    if (request->failure != agent_protocol::RowFailure::kReset &&
        request->failure != agent_protocol::RowFailure::kConnect) {
      break;
    }
    row = request->row;
  }
  return row;
}

std::vector<std::uint32_t> ReplayResult::SuccessLatencies() const {
  std::vector<std::uint32_t> latencies;
  latencies.reserve(requests.size());
  for (const RequestRecord& request : requests) {
    if (request.Succeeded()) latencies.push_back(request.latency_us);
  }
  return latencies;
}

}  // namespace mlprof::server
