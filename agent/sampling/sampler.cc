#include "agent/sampling/sampler.h"

#include <algorithm>

namespace mlprof::agent {
namespace {

constexpr std::chrono::microseconds kShortestInterval{1000};
// The kernel renews its averages every two seconds.
constexpr std::chrono::milliseconds kPressureInterval{500};

}  // namespace

void Sampler::Start(std::chrono::microseconds interval, Sink sink) {
  interval_ = std::max(interval, kShortestInterval);
  sink_ = std::move(sink);
  next_ = Clock::now();
  Tick();
}

void Sampler::Tick() {
  sink_(Take());
  const auto now = Clock::now();
  next_ += interval_;
  if (next_ <= now) next_ += ((now - next_) / interval_ + 1) * interval_;
  timer_ = loop_.At(next_, [this] { Tick(); });
}

Sample Sampler::Take() {
  Sample sample;
  const auto now = Clock::now();
  // The own clock first: reading it settles this thread's share in the cgroup's counter.
  sample.agent_cpu_time = OwnCpuTime();
  const CgroupReading reading = cgroup_.Read();
  sample.agent_memory = proc_.OwnMemory();
  if (now - pressure_at_ >= kPressureInterval) {
    pressure_at_ = now;
    pressure_ = proc_.HostCpuPressure();
  }
  sample.at = now.time_since_epoch();
  last_cpu_time_ = std::max(last_cpu_time_, reading.cpu_time - sample.agent_cpu_time);
  sample.cpu_time = last_cpu_time_;
  sample.periods = reading.periods;
  sample.throttled_periods = reading.throttled_periods;
  sample.throttled_time = reading.throttled_time;
  sample.usage = reading.usage;
  sample.unreclaimable = std::max(Bytes(0), reading.unreclaimable - sample.agent_memory);
  sample.cache = reading.cache;
  sample.processes = reading.processes;
  sample.oom_kills = reading.oom_kills;
  sample.host_cpu_pressure = pressure_;
  peak_unreclaimable_ = std::max(peak_unreclaimable_, sample.unreclaimable);
  return sample;
}

}  // namespace mlprof::agent
