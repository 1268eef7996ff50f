// The CPU time of one row: the cgroup's counter before the request was written against the counter
// once the model had gone quiet, without the agent's own share.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "agent/loop/event_loop.h"
#include "agent/sampling/cgroup_reader.h"

namespace mlprof::agent {

/// CPU time of everything in the cgroup but the agent, since the cgroup began.
std::chrono::nanoseconds ModelCpuTime(const CgroupReader& cgroup);

/// Decides from readings taken after a row's last byte when its work was over. Spinning pools and
/// late work would land on the next row, so a row counts only when the counter stood still for a
/// while; the kernel renews it for a running thread only at its tick (4 ms), hence the length of
/// that while. Pure.
class SettleJudge {
 public:
  static constexpr std::chrono::milliseconds kInterval{1};  // between two readings
  static constexpr std::chrono::milliseconds kQuiet{5};     // longer than the kernel's tick
  // A counter that rose by no more than this stood still: a server's idle thread that wakes up, and
  // what the agent's own readings cost beyond its clock. Chosen, not measured.
  static constexpr std::chrono::microseconds kStill{100};
  // How long a response is held for a model that never rests: the next row cannot leave before.
  // Four times kQuiet.
  static constexpr std::chrono::milliseconds kGiveUp{20};

  enum class Verdict { kReadAgain, kSettled, kNever };
  Verdict Add(Clock::time_point at, std::chrono::nanoseconds cpu_time);
  /// The counter when the work was over; meaningful once settled.
  std::chrono::nanoseconds settled_at() const { return settled_at_; }

 private:
  struct Reading {
    Clock::time_point at;
    std::chrono::nanoseconds cpu_time;
  };
  std::vector<Reading> readings_;
  std::chrono::nanoseconds settled_at_{0};
};

}  // namespace mlprof::agent
