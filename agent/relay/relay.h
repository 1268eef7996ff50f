// Rows in, responses out: each row is one HTTP request to the model on 127.0.0.1, one row per
// connection at a time. Over which connections is a policy of the controller's.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "agent/relay/connection.h"
#include "agent/relay/cpu_attribution.h"
#include "agent/relay/due_rows.h"
#include "agent/sampling/high_water.h"
#include "common/agent_protocol/codec.h"

namespace mlprof::agent {

class Relay final : public ConnectionOwner {
 public:
  using Sink = std::function<void(const agent_protocol::Response&)>;

  struct Target {
    int port = 0;
    RequestHead head;
    std::chrono::milliseconds request_timeout{0};
  };
  Relay(EventLoop& loop, Target target, const CgroupReader& cgroup, HighWater& high_water,
        Sink sink);
  ~Relay() override;

  /// For the rows that are added from now on, and those that wait for a connection: idle ones are
  /// closed, busy ones when they have answered. Those to be held are opened at once; one that the
  /// model ends is opened again when its turn comes.
  void SetConnections(const agent_protocol::Connections& connections);
  /// Sends the row when it is due, or queues it then where all connections are busy, or as many
  /// rows with the model as it allows. Every row is answered once. `read_at`: now.
  void Add(const agent_protocol::RowView& row, Clock::time_point read_at);

 private:
  struct Flight {
    std::uint64_t id = 0;
    bool attribute = false;
    bool retried = false;
    std::size_t slot = 0;
    Clock::time_point read_at{};
    Clock::time_point deadline{};
    std::chrono::nanoseconds cpu_before{0};
  };
  struct Waiting {
    std::uint64_t id = 0;
    bool attribute = false;
    std::uint32_t most_in_flight = 0;
    Clock::time_point read_at{};
    std::string body;
  };
  using Flights = std::list<Flight>;
  struct Settling {
    agent_protocol::Response response;
    std::chrono::nanoseconds cpu_before{0};
    SettleJudge judge;
  };

  void OnExchangeEnd(Connection& connection) override;
  void OnIdleEnd(Connection& connection, bool unasked) override;

  void Leave(const agent_protocol::RowView& row, Clock::time_point at);
  bool Holds() const;
  bool HasTurn(std::uint32_t most_in_flight) const;
  bool MayOvertake(const agent_protocol::RowView& row) const;
  std::size_t MostConnections() const;
  Connection& NewConnection();
  Connection* TakeFree();
  void GiveBack(Connection& connection);
  void Launch(Connection& connection, const agent_protocol::RowView& row,
              Clock::time_point read_at);
  void DispatchWaiting();
  void WatchDeadlines();
  void TimeOutLate();
  void Settle(const std::shared_ptr<Settling>& settling);

  EventLoop& loop_;
  const Target target_;
  const CgroupReader& cgroup_;
  HighWater& high_water_;
  const Sink sink_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Flights::iterator> flight_of_;  // by slot
  agent_protocol::Connections policy_;
  std::uint64_t policies_ = 0;
  std::vector<std::uint64_t> policy_of_;  // by slot, when its row left
  std::deque<Connection*> free_;          // last used at the back
  std::vector<Connection*> beyond_;       // closed; more than are to be held
  Flights flights_;                       // by deadline
  Flights spare_;
  std::deque<Waiting> waiting_;
  DueRows due_rows_{
      loop_, [this](const agent_protocol::RowView& row, Clock::time_point at) { Leave(row, at); }};
  std::uint64_t unasked_ = 0;  // connections lost to unasked bytes; each fails a row
  bool dispatching_ = false;
  TimerId deadline_timer_{};
};

}  // namespace mlprof::agent
