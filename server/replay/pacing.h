// When the rows of a replay leave: the closed loop, and the open loop with the schedule that it
// keeps. Pure state: time is given to every call, and chance comes of a seed.
#pragma once

#include <chrono>

#include "server/analysis/arrival_schedule.h"
#include "server/replay/replay_loop.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server {

/// The closed loop: so many rows in flight, a new one for each response. Where several are and rows
/// are short, the agent keeps one more, which leaves with the response that makes room for it: the
/// way from the agent to the controller and back would be time in which the model has one row less.
class ClosedLoop final : public ReplayLoop {
 public:
  explicit ClosedLoop(ReplayPlan plan) : ReplayLoop(std::move(plan)) {}

  std::optional<Send> Next(Time now) override;
  std::optional<Time> NextAt(Time) const override { return std::nullopt; }
  bool MaySend(Time now) const override {
    return in_flight() < plan().concurrency && WithinLimits(now);
  }
  bool Done(Time now) const override { return in_flight() == 0 && !WithinLimits(now); }
  void End(Time) override { ForgetKept(plan().concurrency); }

 private:
  bool SendsAhead() const;
};

/// The open loop: rows leave at the times of a schedule, whether or not earlier ones were answered,
/// and their latency counts from those times. They are sent ahead of them (OpenLoop::ahead).
class PacedLoop final : public ReplayLoop {
 public:
  /// `plan.open_loop` must be set.
  explicit PacedLoop(ReplayPlan plan);

  std::optional<Send> Next(Time now) override;
  std::optional<Time> NextAt(Time now) const override;
  // A row that is not there before it is due is no late one.
  bool MaySend(Time now) const override { return NextAt(now).has_value() && Permitted() <= now; }
  bool Done(Time now) const override;
  void End(Time now) override;

 private:
  bool Full() const { return in_flight() >= plan().open_loop->max_in_flight; }
  /// When the next row may leave: when it is due, or later while a backlog is worked off.
  Time Permitted() const;

  ArrivalSchedule schedule_;
  Time last_due_{0};                      // of the row before, since the begin
  std::optional<Time> catching_up_from_;  // what the row before was permitted at, where it was late
};

}  // namespace mlprof::server
