#include "server/replay/replay_plan.h"

#include <algorithm>
#include <unordered_set>

#include "server/analysis/row_order.h"

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

std::vector<Visit> VisitsOf(std::span<const RequestRecord> requests) {
  std::vector<Visit> visits;
  visits.reserve(requests.size());
  for (const RequestRecord& request : requests) {
    if (request.Succeeded()) visits.push_back({request.row, request.latency_us});
  }
  return visits;
}

std::vector<RequestRecord> InWholeBlocks(const ReplayPlan& plan,
                                         const std::vector<RequestRecord>& requests) {
  const std::size_t whole = RowsOfWholeBlocks(plan.order.size(), requests.size());
  if (whole >= requests.size() || whole == plan.order.size()) return requests;
  const std::unordered_set<std::uint32_t> rows(
      plan.order.begin(), plan.order.begin() + static_cast<std::ptrdiff_t>(whole));
  std::vector<RequestRecord> counted;
  for (const RequestRecord& request : requests) {
    if (rows.contains(request.row)) counted.push_back(request);
  }
  return counted;
}

std::vector<Visit> CountedVisits(const ReplayPlan& plan, const ReplayResult& replay) {
  return VisitsOf(InWholeBlocks(plan, replay.requests));
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
