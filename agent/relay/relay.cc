#include "agent/relay/relay.h"

#include <algorithm>

namespace mlprof::agent {

using agent_protocol::Connections;
using agent_protocol::Response;
using agent_protocol::RowFailure;
using agent_protocol::RowView;

Relay::Relay(EventLoop& loop, Target target, const CgroupReader& cgroup, HighWater& high_water,
             Sink sink)
    : loop_(loop),
      target_(std::move(target)),
      cgroup_(cgroup),
      high_water_(high_water),
      sink_(std::move(sink)) {}

Relay::~Relay() { loop_.Cancel(deadline_timer_); }

void Relay::Add(const RowView& row, Clock::time_point read_at) {
  if (!due_rows_.Keep(row, read_at)) Leave(row, read_at);
}

void Relay::Leave(const RowView& row, Clock::time_point at) {
  Connection* const connection =
      MayOvertake(row) && HasTurn(row.most_in_flight) ? TakeFree() : nullptr;
  if (connection == nullptr) {
    waiting_.push_back({row.id, row.attribute, row.most_in_flight, at, std::string(row.body)});
  } else {
    Launch(*connection, row, at);
  }
}

bool Relay::Holds() const { return policy_.policy == Connections::Policy::kManyHeld; }

bool Relay::HasTurn(std::uint32_t most_in_flight) const {
  return most_in_flight == 0 || flights_.size() < most_in_flight;
}

// Rows that wait for others to be answered are in nobody's way. Those before them may never be.
bool Relay::MayOvertake(const RowView& row) const {
  return waiting_.empty() || (row.most_in_flight == 0 && waiting_.front().most_in_flight > 0);
}

std::size_t Relay::MostConnections() const {
  return Holds() ? static_cast<std::size_t>(policy_.held) : agent_protocol::kMaxConnections;
}

void Relay::SetConnections(const Connections& connections) {
  policy_ = connections;
  ++policies_;
  std::deque<Connection*> idle;
  idle.swap(free_);
  idle.insert(idle.end(), beyond_.begin(), beyond_.end());
  beyond_.clear();
  for (Connection* const connection : idle) {
    connection->Close();
    GiveBack(*connection);
  }
  if (!Holds()) return DispatchWaiting();
  while (connections_.size() < MostConnections()) free_.push_back(&NewConnection());
  for (Connection* const connection : free_) connection->Hold();
  DispatchWaiting();
}

Connection& Relay::NewConnection() {
  connections_.push_back(
      std::make_unique<Connection>(loop_, target_.port, *this, connections_.size()));
  flight_of_.push_back(flights_.end());
  policy_of_.push_back(policies_);
  return *connections_.back();
}

// Connections that the policy holds open are used in turn. Of others the one used last is taken: it
// is the least likely to have been closed by the server for idleness.
Connection* Relay::TakeFree() {
  if (!free_.empty()) {
    Connection* const connection = Holds() ? free_.front() : free_.back();
    Holds() ? free_.pop_front() : free_.pop_back();
    return connection;
  }
  return connections_.size() < MostConnections() ? &NewConnection() : nullptr;
}

void Relay::GiveBack(Connection& connection) {
  const bool is_beyond = connection.slot() >= MostConnections();
  const bool is_spent = policy_.policy == Connections::Policy::kOneARequest ||
                        policy_of_[connection.slot()] != policies_;
  if (is_beyond || is_spent) connection.Close();
  if (is_beyond) {
    beyond_.push_back(&connection);
  } else {
    free_.push_back(&connection);
  }
}

void Relay::Launch(Connection& connection, const RowView& row, Clock::time_point read_at) {
  if (unasked_ > 0) {
    --unasked_;
    GiveBack(connection);
    Response response;
    response.id = row.id;
    response.failure = RowFailure::kUnasked;
    sink_(response);
    return;
  }
  if (spare_.empty()) spare_.emplace_back();
  flights_.splice(flights_.end(), spare_, spare_.begin());
  flight_of_[connection.slot()] = std::prev(flights_.end());
  policy_of_[connection.slot()] = policies_;
  Flight& flight = flights_.back();
  flight = {row.id, row.attribute, false, connection.slot(), read_at, {}, {}};
  // The time limit of a row that had to wait for a connection begins when it gets one.
  flight.deadline = (dispatching_ ? Clock::now() : read_at) + target_.request_timeout;
  if (flights_.size() > 1) {
    flight.deadline = std::max(flight.deadline, std::prev(flights_.end(), 2)->deadline);
  }
  WatchDeadlines();
  if (row.attribute) {
    high_water_.BeginRow();
    // The row's clock begins after the readings of memory, and before that of CPU.
    flight.read_at = Clock::now();
    flight.cpu_before = ModelCpuTime(cgroup_);
  }
  connection.Send(target_.head, row.body);
}

void Relay::OnIdleEnd(Connection&, bool unasked) { unasked_ += unasked ? 1 : 0; }

void Relay::OnExchangeEnd(Connection& connection) {
  const auto flight = flight_of_[connection.slot()];
  if (connection.WorthRetrying() && !flight->retried) {
    flight->retried = true;
    return connection.Resend();
  }
  const ResponseParser& parser = connection.parser();
  const Connection::Times& times = connection.times();
  const auto since_read = [&](Clock::time_point when) {
    return when == Clock::time_point{} ? std::chrono::nanoseconds{0} : when - flight->read_at;
  };
  Response response;
  response.id = flight->id;
  response.failure = connection.failure();
  response.http_status = parser.status();
  response.read_at = flight->read_at.time_since_epoch();
  response.sent = since_read(times.sent);
  response.first_byte = since_read(times.first_byte);
  response.last_byte = since_read(times.last_byte);
  response.body_bytes = parser.body_bytes();
  response.excerpt = parser.excerpt();
  const bool attribute = flight->attribute && response.failure == RowFailure::kNone;
  const auto cpu_before = flight->cpu_before;
  spare_.splice(spare_.begin(), flights_, flight);
  GiveBack(connection);
  if (attribute) {
    Settle(std::make_shared<Settling>(Settling{std::move(response), cpu_before, {}}));
  } else {
    sink_(response);
  }
  DispatchWaiting();
}

// Does nothing when called from within itself, as happens through OnExchangeEnd for a row that
// fails at once: the loop below goes on by itself.
void Relay::DispatchWaiting() {
  if (dispatching_) return;
  dispatching_ = true;
  while (!waiting_.empty() && HasTurn(waiting_.front().most_in_flight)) {
    Connection* const connection = TakeFree();
    if (connection == nullptr) break;
    const Waiting row = std::move(waiting_.front());
    waiting_.pop_front();
    const auto begins = row.most_in_flight > 0 ? Clock::now() : row.read_at;
    Launch(*connection, {row.id, row.attribute, row.body}, begins);
  }
  dispatching_ = false;
}

// One timer, for the oldest row; most rows are answered long before and cost nothing here.
void Relay::WatchDeadlines() {
  if (deadline_timer_.second != 0 || flights_.empty()) return;
  deadline_timer_ = loop_.At(flights_.front().deadline, [this] {
    deadline_timer_ = {};
    TimeOutLate();
    WatchDeadlines();
  });
}

void Relay::TimeOutLate() {
  const auto now = Clock::now();
  while (!flights_.empty() && flights_.front().deadline <= now) {
    connections_[flights_.front().slot]->TimeOut();
  }
}

void Relay::Settle(const std::shared_ptr<Settling>& settling) {
  const auto now = Clock::now();
  switch (settling->judge.Add(now, ModelCpuTime(cgroup_))) {
    case SettleJudge::Verdict::kReadAgain:
      loop_.At(now + SettleJudge::kInterval, [this, settling] { Settle(settling); });
      return;
    case SettleJudge::Verdict::kSettled:
      settling->response.cpu_time = std::max(std::chrono::nanoseconds{0},
                                             settling->judge.settled_at() - settling->cpu_before);
      break;
    case SettleJudge::Verdict::kNever: break;
  }
  // Read only now, with the CPU time: memory may peak after the response's last byte.
  settling->response.peak_rise = high_water_.EndRow();
  sink_(settling->response);
}

}  // namespace mlprof::agent
