#include "agent/relay/readiness.h"

#include <algorithm>

namespace mlprof::agent {
namespace {

// The pause between two tries is the error of the start time that is reported; a try costs the
// model next to nothing while nobody listens.
constexpr std::chrono::milliseconds kLongestPause{20};
// A server that accepted a connection and lost it is asked again over a new one.
constexpr std::chrono::seconds kLongestTry{10};

}  // namespace

using agent_protocol::RowFailure;

Readiness::Readiness(EventLoop& loop, int port, RequestHead head, bool any_status, Outcome outcome)
    : loop_(loop),
      head_(std::move(head)),
      any_status_(any_status),
      outcome_(std::move(outcome)),
      connection_(loop, port, *this) {}

Readiness::~Readiness() { Stop(); }

void Readiness::Start(Clock::time_point give_up) {
  give_up_ = give_up;
  running_ = true;
  Try();
}

void Readiness::Stop() {
  running_ = false;
  loop_.Cancel(timer_);
  connection_.Close();
}

void Readiness::Try() {
  timer_ =
      loop_.At(std::min(give_up_, Clock::now() + kLongestTry), [this] { connection_.TimeOut(); });
  connection_.Send(head_, {});
}

bool Readiness::Accepts() const {
  const int status = connection_.parser().status();
  // A whole response is not needed to know that the model speaks HTTP.
  if (any_status_) return status != 0 && connection_.failure() != RowFailure::kMalformed;
  return connection_.failure() == RowFailure::kNone && status >= 200 && status < 400;
}

std::string Readiness::Describe() const {
  switch (connection_.failure()) {
    case RowFailure::kNone:
      return "it answered HTTP " + std::to_string(connection_.parser().status());
    case RowFailure::kConnect: return "nothing listens there";
    case RowFailure::kTimeout: return "it accepted the connection but did not answer";
    case RowFailure::kReset: return "it closed the connection without a whole response";
    case RowFailure::kMalformed: return "what it answered is not HTTP/1.x";
    case RowFailure::kUnasked: return "it spoke before it was asked, so this is not HTTP";
    case RowFailure::kTooLarge: return "its response is too large";
  }
  return {};
}

void Readiness::OnExchangeEnd(Connection&) {
  loop_.Cancel(timer_);
  if (!running_) return;
  const auto now = Clock::now();
  if (Accepts()) {
    running_ = false;
    // Left open it would keep a server that has one connection at a time, or one a process, busy.
    connection_.Close();
    return outcome_.ready();
  }
  // A last try that was cut short by the end of the waiting says less than the whole one before it,
  // whose outcome is then what is told.
  const bool cut_short = connection_.failure() == RowFailure::kTimeout && now >= give_up_;
  if (!cut_short || last_try_.empty()) last_try_ = Describe();
  if (now + pause_ >= give_up_) {
    running_ = false;
    return outcome_.not_ready(last_try_);
  }
  timer_ = loop_.At(now + pause_, [this] { Try(); });
  pause_ = std::min(pause_ * 2, kLongestPause);
}

}  // namespace mlprof::agent
