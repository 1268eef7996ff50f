#include "server/replay/replay_loop.h"

#include <algorithm>
#include <limits>

#include "server/replay/pacing.h"

namespace mlprof::server {
namespace {

std::uint32_t Microseconds(std::chrono::nanoseconds duration) {
  const std::int64_t us = std::max<std::int64_t>(0, duration.count() / 1000);
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(us, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

ReplayLoop::Time ReplayLoop::Begin(Time now) {
  if (!began_) {
    began_ = now;
    result_.began = now;
  }
  return *began_;
}

bool ReplayLoop::WithinLimits(Time now) const {
  if (plan_.max_requests && sent_ >= *plan_.max_requests) return false;
  if (!plan_.max_time || !began_) return true;
  const Time elapsed = now - *began_;
  if (elapsed < *plan_.max_time) return true;
  const bool wants_more = sent_ < plan_.min_requests;
  return wants_more && elapsed < plan_.hard_max_time.value_or(*plan_.max_time);
}

ReplayLoop::Send ReplayLoop::Launch(Time due, Time at, std::uint32_t most_in_flight) {
  const std::uint64_t id = sent_++;
  const std::uint32_t row = plan_.order[id % plan_.order.size()];
  const bool late = at - due > kLateAfter;
  if (late) ++result_.late;
  window_.push_back({row, Microseconds(at - due), due, true, late, most_in_flight > 0});
  result_.last_due = due;
  result_.last_sent = row;
  ++in_flight_;
  return {id, row, std::max(Time{0}, at - due), Time{0}, most_in_flight};
}

// The agent's times are used, on this machine's clock, so that the response's way to the controller
// is no part of the model's latency. Where they cannot be true (the container has a time namespace
// of its own) the moment at which the response arrived is taken.
bool ReplayLoop::IsCredible(const agent_protocol::Response& response, const InFlight& request,
                            Time now) {
  const Time sent = request.due + std::chrono::microseconds(request.lag_us);
  return response.read_at >= sent && response.last_byte > Time{0} &&
         response.read_at + response.last_byte <= now;
}

void ReplayLoop::ForgetUnleft(Time now) {
  const auto has_left = [now](const InFlight& request) {
    return !request.open || request.due + std::chrono::microseconds(request.lag_us) <= now;
  };
  const auto in_window = std::find_if(window_.rbegin(), window_.rend(), has_left);
  if (in_window == window_.rend() && !before_window_) return;  // none has left, or none was sent
  const InFlight& last = in_window != window_.rend() ? *in_window : *before_window_;
  result_.last_sent = last.row;
  result_.last_due = last.due;
}

void ReplayLoop::ForgetKept(int most_in_flight) {
  if (in_flight_ <= most_in_flight) return;
  int with_model = 0;
  for (const InFlight& request : window_) {
    if (!request.open || ++with_model < most_in_flight) continue;
    result_.last_sent = request.row;
    result_.last_due = request.due;
    return;
  }
}

// Of a row that was sent ahead the agent knows when it left.
void ReplayLoop::NoteLag(const agent_protocol::Response& response, InFlight& request) {
  const Time lag = response.read_at - request.due;
  if (lag > kLateAfter && !request.late) ++result_.late;
  request.lag_us = std::max(request.lag_us, Microseconds(lag));
}

void ReplayLoop::NoteTimes(const agent_protocol::Response& response, const InFlight& request,
                           bool credible, Time now, RequestRecord& record) {
  last_took_ = credible ? std::optional(response.last_byte) : std::nullopt;
  record.due = request.due;
  if (request.kept) {
    // Until it left it was kept by the agent. Of a row without any byte of a response the arrival
    // of that word is the end.
    const bool left = response.read_at >= request.due && response.read_at <= now;
    record.due = left ? response.read_at : request.due;
    const bool answered = response.last_byte > Time{0};
    record.latency_us = Microseconds(answered ? response.last_byte : now - record.due);
    return;
  }
  // A row that was sent ahead may have left before its time by a clock that is wrong.
  const Time arrived = std::max(now - request.due, response.last_byte);
  const Time took = credible ? response.read_at + response.last_byte - request.due : arrived;
  // The agent holds an attributed response until the CPU has settled, so the time of its arrival
  // says nothing of the model: its latency is the agent's own.
  record.latency_us = Microseconds(plan_.attribute ? response.last_byte : took);
}

bool ReplayLoop::Responded(const agent_protocol::Response& response, Time now) {
  const std::uint64_t first = sent_ - window_.size();
  if (response.id < first || response.id >= sent_) return false;
  InFlight& request = window_[response.id - first];
  if (!request.open) return false;
  request.open = false;
  --in_flight_;
  result_.ended = now;

  RequestRecord& record = result_.requests.emplace_back();
  record.row = request.row;
  const bool credible = IsCredible(response, request, now);
  if (credible && plan_.open_loop) NoteLag(response, request);
  record.lag_us = request.lag_us;
  NoteTimes(response, request, credible, now, record);
  record.service_us = Microseconds(response.last_byte - response.sent);
  if (response.cpu_time) record.cpu_us = Microseconds(*response.cpu_time);
  record.peak_rise = response.peak_rise;
  record.http_status = static_cast<std::uint16_t>(response.http_status);
  record.failure = response.failure;
  if (!record.Succeeded()) {
    ++result_.failures;
    if (!result_.first_failure) {
      result_.first_failure =
          FirstFailure{request.row, response.http_status, response.failure, response.excerpt};
    }
  }
  while (!window_.empty() && !window_.front().open) {
    before_window_ = window_.front();
    window_.pop_front();
  }
  return true;
}

std::unique_ptr<ReplayLoop> MakeReplayLoop(ReplayPlan plan) {
  if (plan.open_loop) return std::make_unique<PacedLoop>(std::move(plan));
  return std::make_unique<ClosedLoop>(std::move(plan));
}

}  // namespace mlprof::server
