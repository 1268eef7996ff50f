// Rows that came ahead of their time, kept until then: they leave by this machine's own clock, with
// no waking of the controller in between.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "agent/loop/event_loop.h"
#include "common/agent_protocol/codec.h"

namespace mlprof::agent {

class DueRows {
 public:
  using Leave = std::function<void(const agent_protocol::RowView& row, Clock::time_point at)>;

  DueRows(EventLoop& loop, Leave leave) : loop_(loop), leave_(std::move(leave)) {}
  DueRows(const DueRows&) = delete;
  DueRows& operator=(const DueRows&) = delete;
  ~DueRows() { loop_.Cancel(timer_); }

  /// Whether it keeps the row, whose body is copied then. False where it may leave at once: its
  /// time has come, and none is kept.
  bool Keep(const agent_protocol::RowView& row, Clock::time_point now);

 private:
  struct Kept {
    std::uint64_t id = 0;
    bool attribute = false;
    std::uint32_t most_in_flight = 0;
    Clock::time_point due{};
    std::string body;
  };
  void Watch();
  void LetLeave();

  EventLoop& loop_;
  const Leave leave_;
  std::deque<Kept> rows_;  // in the order in which they came
  TimerId timer_{};
};

}  // namespace mlprof::agent
