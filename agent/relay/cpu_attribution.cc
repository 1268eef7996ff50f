#include "agent/relay/cpu_attribution.h"

#include "agent/sampling/proc.h"

namespace mlprof::agent {

std::chrono::nanoseconds ModelCpuTime(const CgroupReader& cgroup) {
  // The agent's own clock first: reading it makes the kernel add this thread's time to the cgroup's
  // counter, so that the same time is in both.
  const auto own = OwnCpuTime();
  return cgroup.CpuTime() - own;
}

SettleJudge::Verdict SettleJudge::Add(Clock::time_point at, std::chrono::nanoseconds cpu_time) {
  readings_.push_back({at, cpu_time});
  for (std::size_t i = 0; i + 1 < readings_.size(); ++i) {
    const Reading& start = readings_[i];
    if (at - start.at < kQuiet) break;
    if (cpu_time - start.cpu_time > kStill) continue;
    // The reading one interval after the quiet began: what the server still did right after its
    // last byte belongs to the row.
    settled_at_ = readings_[i + 1].cpu_time;
    return Verdict::kSettled;
  }
  return at - readings_.front().at >= kGiveUp ? Verdict::kNever : Verdict::kReadAgain;
}

}  // namespace mlprof::agent
