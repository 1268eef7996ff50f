// What every replay has in common: rows in flight, limits, and the record of the responses. Pure
// state: it is told the time and the responses and says what to send; no sockets, no clocks.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "server/replay/replay_plan.h"

namespace mlprof::server {

class ReplayLoop {
 public:
  using Time = std::chrono::nanoseconds;  // since any fixed moment

  struct Send {
    std::uint64_t id;
    std::uint32_t row;
    Time lag{0};  // behind its due time
    Time at{0};   // when the agent lets it leave; zero: at once
    /// The agent keeps it until fewer than so many are with the model; 0: it does not.
    std::uint32_t most_in_flight = 0;
  };

  virtual ~ReplayLoop() = default;
  /// A row to send at `now`, nothing when no more may leave. Call until it says so: at the start,
  /// after each response and when NextAt() has come.
  virtual std::optional<Send> Next(Time now) = 0;
  /// When the next row may leave, as things stand at `now`; nothing where only a response can let
  /// one leave, or none will.
  virtual std::optional<Time> NextAt(Time now) const = 0;
  /// Whether a row may leave at `now`, if there is one.
  virtual bool MaySend(Time now) const = 0;
  /// Nothing is in flight and nothing more will be sent.
  virtual bool Done(Time now) const = 0;

  /// Takes a response. False for an id that is not in flight (a broken or hostile agent).
  bool Responded(const agent_protocol::Response& response, Time now);
  std::uint64_t sent() const { return sent_; }
  bool AllAnswered() const { return in_flight_ == 0; }
  const ReplayResult& result() const { return result_; }
  /// The replay ends at `now`, whatever the reason: completes the result.
  virtual void End(Time now) = 0;
  ReplayResult TakeResult() { return std::move(result_); }

 protected:
  explicit ReplayLoop(ReplayPlan plan) : plan_(std::move(plan)) {}

  /// Notes a row as sent that is due at `due` and leaves at `at`; or, where it has a bound, once
  /// the agent lets it, from when its latency counts.
  Send Launch(Time due, Time at, std::uint32_t most_in_flight = 0);
  /// Of rows that the agent keeps until fewer than so many are with the model, the last to leave
  /// was not one that it still kept.
  void ForgetKept(int most_in_flight);
  /// The last response's latency; nothing where the agent's clock does not tell it.
  std::optional<Time> last_took() const { return last_took_; }
  /// Rows that were sent ahead, and had not left by `now`, were not the last that left.
  void ForgetUnleft(Time now);
  /// Whether the limits let a row leave at `now`.
  bool WithinLimits(Time now) const;
  const ReplayPlan& plan() const { return plan_; }
  int in_flight() const { return in_flight_; }
  /// The first call is the replay's begin.
  Time Begin(Time now);
  std::optional<Time> began() const { return began_; }
  ReplayResult& changing_result() { return result_; }

 private:
  struct InFlight {
    std::uint32_t row = 0;
    std::uint32_t lag_us = 0;
    Time due{0};
    bool open = false;
    bool late = false;  // and counted
    bool kept = false;  // by the agent, until fewer are with the model
  };

  static bool IsCredible(const agent_protocol::Response& response, const InFlight& request,
                         Time now);
  void NoteLag(const agent_protocol::Response& response, InFlight& request);
  void NoteTimes(const agent_protocol::Response& response, const InFlight& request, bool credible,
                 Time now, RequestRecord& record);

  const ReplayPlan plan_;
  ReplayResult result_;
  std::optional<Time> began_;
  std::deque<InFlight> window_;            // by id, from the oldest in flight
  std::optional<InFlight> before_window_;  // the newest that was answered with all before it
  std::optional<Time> last_took_;
  std::uint64_t sent_ = 0;
  int in_flight_ = 0;
};

/// The loop that the plan asks for.
std::unique_ptr<ReplayLoop> MakeReplayLoop(ReplayPlan plan);

}  // namespace mlprof::server
