#include "server/replay/replay_plan.h"

#include <algorithm>

namespace mlprof {

std::optional<std::uint32_t> ReplayResult::LastRowTaken() const {
  // Rows that were sent between the death and the word of it failed as well, and the one that did
  // it may have been tried again and been refused: the first of those at the end is the one.
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

}  // namespace mlprof
