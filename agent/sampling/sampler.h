// Takes samples at absolute times: a late one does not move the next, and samples that were missed
// altogether are left out rather than made up.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "agent/loop/event_loop.h"
#include "agent/sampling/cgroup_reader.h"
#include "agent/sampling/proc.h"
#include "common/domain/sample.h"

namespace mlprof::agent {

class Sampler {
 public:
  using Sink = std::function<void(const Sample&)>;
  Sampler(EventLoop& loop, const CgroupReader& cgroup, const ProcReader& proc)
      : loop_(loop), cgroup_(cgroup), proc_(proc) {}

  /// At most 1000 a second.
  void Start(std::chrono::microseconds interval, Sink sink);
  void Stop() { loop_.Cancel(timer_); }

  /// One reading now, the agent's own cost taken out.
  Sample Take();
  Bytes peak_unreclaimable() const { return peak_unreclaimable_; }

 private:
  void Tick();

  EventLoop& loop_;
  const CgroupReader& cgroup_;
  const ProcReader& proc_;
  Sink sink_;
  std::chrono::microseconds interval_{10'000};
  Clock::time_point next_{};
  TimerId timer_{};
  std::chrono::nanoseconds last_cpu_time_{0};
  Bytes peak_unreclaimable_;
  std::optional<double> pressure_;
  Clock::time_point pressure_at_{};
};

}  // namespace mlprof::agent
