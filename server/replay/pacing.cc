#include "server/replay/pacing.h"

#include <algorithm>
#include <limits>

namespace mlprof::server {

namespace {

// Rows that take longer are served for most of the time whatever the way between two of them takes,
// and one that leaves behind the end of the load would make it that much longer. Chosen, not
// measured.
constexpr std::chrono::milliseconds kShortRow{50};

// A backlog is sent at no more than so many times the pace of its own schedule: sent all at once it
// would be a burst that the schedule never held. Twice is the least whole factor that catches up.
constexpr int kCatchUp = 2;

}  // namespace

// Not with one row in flight: a model of one thread would never rest, and a limit of one core would
// stop it for the agent's CPU (docs/decisions/0056).
bool ClosedLoop::SendsAhead() const {
  const bool may_wait = plan().concurrency > 1 && !plan().others_in_flight;
  return may_wait && last_took() && *last_took() < kShortRow;
}

std::optional<ReplayLoop::Send> ClosedLoop::Next(Time now) {
  const bool ahead = SendsAhead();
  const int most = plan().concurrency + (ahead ? 1 : 0);
  if (in_flight() >= most || !WithinLimits(now)) return std::nullopt;
  Begin(now);
  return Launch(now, now, ahead ? static_cast<std::uint32_t>(plan().concurrency) : 0);
}

PacedLoop::PacedLoop(ReplayPlan plan)
    : ReplayLoop(std::move(plan)),
      schedule_(this->plan().open_loop->requests_per_second, this->plan().open_loop->arrivals,
                this->plan().open_loop->seed, this->plan().open_loop->busiest) {}

ReplayLoop::Time PacedLoop::Permitted() const {
  const Time due = began().value_or(Time{0}) + schedule_.due();
  if (!catching_up_from_) return due;
  return std::max(due, *catching_up_from_ + (schedule_.due() - last_due_) / kCatchUp);
}

std::optional<ReplayLoop::Send> PacedLoop::Next(Time now) {
  const Time due = Begin(now) + schedule_.due();
  Time permitted = Permitted();
  const Time leaves = std::max(now, permitted);
  if (permitted > now + plan().open_loop->ahead || Full() || !WithinLimits(leaves)) {
    return std::nullopt;
  }
  // This was called later than the row was permitted: the pace of the rows that piled up counts
  // from now, so that they do not leave all at once.
  if (now - permitted > kLateAfter) permitted = now;
  if (permitted > due) {
    catching_up_from_ = permitted;
  } else {
    catching_up_from_.reset();
  }
  last_due_ = schedule_.due();
  schedule_.Advance();
  Send send = Launch(due, leaves);
  if (leaves > now) send.at = leaves;
  return send;
}

std::optional<ReplayLoop::Time> PacedLoop::NextAt(Time now) const {
  if (Full() || !WithinLimits(std::max(now, Permitted()))) return std::nullopt;
  // Several at once, each of them half as far ahead at the least.
  return Permitted() - plan().open_loop->ahead / 2;
}

bool PacedLoop::Done(Time now) const {
  return in_flight() == 0 && !WithinLimits(std::max(now, Permitted()));
}

// Counts the rows that were due and never left. They are no requests, but from the requests alone a
// caller would think that the rate was kept.
void PacedLoop::End(Time now) {
  ForgetUnleft(now);
  const Time elapsed = now - Begin(now);
  const Time until = std::min(elapsed, plan().max_time.value_or(elapsed));
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  if (plan().max_requests)
    left = *plan().max_requests - std::min<std::uint64_t>(sent(), *plan().max_requests);
  for (; schedule_.due() < until && left > 0; schedule_.Advance(), --left) {
    ++changing_result().unsent;
  }
}

}  // namespace mlprof::server
