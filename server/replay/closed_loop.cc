#include "server/replay/closed_loop.h"

#include <algorithm>
#include <limits>

namespace mlprof {
namespace {

std::uint32_t Microseconds(std::chrono::nanoseconds duration) {
  const std::int64_t us = std::max<std::int64_t>(0, duration.count() / 1000);
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(us, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

bool ClosedLoop::MaySend(Time now) const {
  if (stopped_) return false;
  if (plan_.max_requests && sent_.size() >= *plan_.max_requests) return false;
  if (!plan_.max_time || !started_) return true;
  const Time elapsed = now - *started_;
  if (elapsed < *plan_.max_time) return true;
  const bool wants_more = sent_.size() < plan_.min_requests;
  return wants_more && elapsed < plan_.hard_max_time.value_or(*plan_.max_time);
}

std::optional<ClosedLoop::Send> ClosedLoop::Next(Time now) {
  if (in_flight_ >= plan_.concurrency || !MaySend(now)) return std::nullopt;
  if (!started_) {
    started_ = now;
    result_.began = now;
  }
  const std::uint64_t id = sent_.size();
  const std::uint32_t row = plan_.order[id % plan_.order.size()];
  sent_.push_back({row, now, true});
  result_.last_sent = row;
  ++in_flight_;
  return Send{id, row};
}

bool ClosedLoop::Answered(const agent_protocol::Answer& answer, Time now) {
  if (answer.id >= sent_.size() || !sent_[answer.id].open) return false;
  InFlight& request = sent_[answer.id];
  request.open = false;
  --in_flight_;
  result_.ended = now;

  RequestRecord record;
  record.row = request.row;
  // The agent holds an attributed answer until the CPU has settled: its arrival says nothing then.
  record.latency_us = Microseconds(plan_.attribute ? answer.last_byte : now - request.sent);
  record.service_us = Microseconds(answer.last_byte - answer.sent);
  if (answer.cpu_time) record.cpu_us = Microseconds(*answer.cpu_time);
  record.http_status = static_cast<std::uint16_t>(answer.http_status);
  record.failure = answer.failure;
  if (!record.Succeeded()) {
    ++result_.failures;
    if (!result_.first_failure) {
      result_.first_failure =
          FirstFailure{request.row, answer.http_status, answer.failure, answer.excerpt};
    }
  }
  result_.requests.push_back(record);
  return true;
}

}  // namespace mlprof
