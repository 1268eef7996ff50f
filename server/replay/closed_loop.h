// The closed loop: so many rows in flight, a new one for each answer. Pure state: it is told of
// answers and says what to send, and knows nothing of sockets or clocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/replay/replay_plan.h"

namespace mlprof {

class ClosedLoop {
 public:
  using Time = std::chrono::nanoseconds;  // since any fixed moment

  explicit ClosedLoop(ReplayPlan plan) : plan_(std::move(plan)) {}

  struct Send {
    std::uint64_t id;
    std::uint32_t row;
  };
  /// The rows to send at `now` to fill the loop. Call at the start and after each answer.
  std::optional<Send> Next(Time now);
  /// Takes an answer. False for an id that is not in flight (a broken or hostile agent).
  bool Answered(const agent_protocol::Answer& answer, Time now);
  /// Nothing is in flight and nothing more will be sent.
  bool Done(Time now) const { return in_flight_ == 0 && !MaySend(now); }
  void StopSending() { stopped_ = true; }

  std::size_t answered() const { return result_.requests.size(); }
  std::uint64_t sent() const { return sent_.size(); }
  const ReplayResult& result() const { return result_; }
  ReplayResult TakeResult() { return std::move(result_); }

 private:
  bool MaySend(Time now) const;

  struct InFlight {
    std::uint32_t row = 0;
    Time sent{0};
    bool open = false;
  };

  ReplayPlan plan_;
  ReplayResult result_;
  std::optional<Time> started_;
  std::vector<InFlight> sent_;  // by id
  int in_flight_ = 0;
  bool stopped_ = false;
};

}  // namespace mlprof
