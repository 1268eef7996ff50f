// The closed loop: so many rows in flight, a new one for each answer. Pure state.
#pragma once

#include "server/replay/replay_loop.h"

namespace mlprof::server {

class ClosedLoop final : public ReplayLoop {
 public:
  explicit ClosedLoop(ReplayPlan plan) : ReplayLoop(std::move(plan)) {}

  std::optional<Send> Next(Time now) override;
  std::optional<Time> NextAt(Time) const override { return std::nullopt; }
  bool MaySend(Time now) const override {
    return in_flight() < plan().concurrency && WithinLimits(now);
  }
  bool Done(Time now) const override { return in_flight() == 0 && !WithinLimits(now); }
  void End(Time) override {}
};

}  // namespace mlprof::server
