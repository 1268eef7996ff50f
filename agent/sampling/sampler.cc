#include "agent/sampling/sampler.h"

#include <algorithm>
#include <utility>

namespace mlprof::agent {
namespace {

// Each reading costs CPU time of the container it measures; what one costs and what it would miss
// decide how often it is taken (the intervals are those of api/agent-protocol.md).
constexpr std::chrono::microseconds kShortestInterval{1000};
// One CFS period: counters of periods and throttling do not change more often.
constexpr std::chrono::milliseconds kRestInterval{100};
// Peaks wait in the kernel's high-water marks and are not lost; only processes that come and go
// within this time are.
constexpr std::chrono::milliseconds kPeakInterval{250};
// The kernel renews its pressure averages every two seconds. The wait for a core is a sum: reading
// it rarely loses only what threads waited that ended since the last reading.
constexpr std::chrono::milliseconds kPressureInterval{500};
// Less CPU time than this does not use up a quota, which is 10 ms a period at the smallest limit.
constexpr std::chrono::milliseconds kHardlyAny{1};
// Two readings this close are taken for one moment: 1/16 of the step in which memory is
// recommended.
constexpr Bytes kSteady = MiB(1);
// A model that allocates and frees without rest is never read at one moment; the last try counts.
constexpr int kPeakAttempts = 4;
constexpr std::int64_t kOwnTasks = 1;  // of the agent, which has one thread

Bytes Distance(Bytes a, Bytes b) { return std::max(a, b) - std::min(a, b); }

}  // namespace

void Sampler::Start(std::chrono::microseconds interval, Sink sink) {
  pace_.Begin(Clock::now(), std::max(interval, kShortestInterval));
  sink_ = std::move(sink);
  stretch_peak_ = peak_unreclaimable_ = Bytes(0);
  Tick();
}

void Sampler::Tick() {
  const auto now = Clock::now();
  ReadDue(now);
  const Sample sample = Compose(now);
  pace_.Saw({sample.cpu_time, sample.usage}, now);
  sink_(sample);
  Await();
}

void Sampler::Await() {
  timer_ = loop_.At(pace_.NextAfter(Clock::now()), [this] { Tick(); });
}

void Sampler::Stir(Clock::time_point now) {
  const bool waits_long = pace_.calm() && timer_.second != 0;
  pace_.Stir(now);
  if (!waits_long) return;
  loop_.Cancel(timer_);
  Await();
}

Sample Sampler::Take() {
  memory_at_ = rest_at_ = peak_at_ = {};
  const auto now = Clock::now();
  ReadDue(now);
  return Compose(now);
}

void Sampler::ReadDue(Clock::time_point now) {
  // The agent's own clock first: reading it makes the kernel add this thread's time to the cgroup's
  // counter, so that the same time is in both.
  own_cpu_time_ = OwnCpuTime();
  cgroup_.ReadCpu(reading_);
  // On cgroup v1 the counters of throttling are a file of their own. A model that has used next to
  // no CPU since they were read last was not throttled: they are left for the slower interval then.
  const bool ran = reading_.cpu_time - cpu_time_at_throttling_ > kHardlyAny;
  if (ran || now - rest_at_ >= kRestInterval) {
    cpu_time_at_throttling_ = reading_.cpu_time;
    cgroup_.ReadThrottling(reading_);
  }
  cgroup_.ReadUsage(reading_);
  // Reading memory.stat costs as much as all else together. While the cgroup's usage stands still,
  // so does memory.stat, except at the limit, where file pages give way to other memory: so it is
  // read at the slower interval even then.
  const bool moved = Distance(reading_.usage, usage_at_memory_) > kSameUsage;
  if (moved || !marks_readable_ || now - memory_at_ >= kRestInterval) ReadMemory(now);
  if (now - rest_at_ >= kRestInterval) {
    rest_at_ = now;
    cgroup_.ReadRest(reading_);
  }
  if (now - pressure_at_ >= kPressureInterval) {
    pressure_at_ = now;
    pressure_ = proc_.HostCpuPressure();
    run_queue_wait_ = run_queue_.Waited();
  }
}

void Sampler::ReadMemory(Clock::time_point now) {
  memory_at_ = now;
  usage_at_memory_ = reading_.usage;
  cgroup_.ReadMemory(reading_);
  own_memory_ = proc_.OwnMemory();
}

Bytes Sampler::Unreclaimable() const {
  return std::max(Bytes(0), reading_.unreclaimable - own_memory_ - left_behind_);
}

void Sampler::EndStretch(Clock::time_point now, Sample& sample) {
  auto rise = high_water_.Read();
  marks_readable_ = rise.has_value();
  if (rise && rise->largest > kSteady) rise = ReadTogether(*rise, now);
  if (!rise) return;
  high_water_.BeginStretch();
  sample.peak_unreclaimable =
      std::max({stretch_peak_, Unreclaimable(), Unreclaimable() + rise->largest});
  if (!tells_uncharged_) return;
  sample.uncharged_file = std::max(Bytes(0), rise->file - reading_.mapped_file);
}

// The peak is the cgroup's memory plus the processes' distance from their high-water marks. Both
// must be read at one moment, or memory given back between the two readings would count twice: they
// are read again until the processes hold the same before and after.
std::optional<HighWater::Rise> Sampler::ReadTogether(HighWater::Rise first, Clock::time_point now) {
  std::optional<HighWater::Rise> rise = first;
  for (int attempt = 0; rise && attempt < kPeakAttempts; ++attempt) {
    const Bytes resident_before = rise->resident;
    ReadMemory(now);
    rise = high_water_.Read();
    if (rise && Distance(rise->resident, resident_before) <= kSteady) break;
  }
  return rise;
}

Sample Sampler::Compose(Clock::time_point now) {
  Sample sample;
  if (!pace_.serving() || now - peak_at_ >= kPeakInterval) {
    peak_at_ = now;
    stretch_peak_ = std::max(stretch_peak_, Unreclaimable());
    EndStretch(now, sample);
  }
  sample.at = now.time_since_epoch();
  sample.agent_cpu_time = own_cpu_time_;
  last_cpu_time_ = std::max(last_cpu_time_, reading_.cpu_time - own_cpu_time_);
  sample.cpu_time = last_cpu_time_;
  sample.periods = reading_.periods;
  sample.throttled_periods = reading_.throttled_periods;
  sample.throttled_time = reading_.throttled_time;
  sample.usage = reading_.usage;
  sample.unreclaimable = Unreclaimable();
  sample.cache = reading_.cache;
  sample.mapped_file = reading_.mapped_file;
  sample.file_refaults = reading_.file_refaults;
  sample.major_faults = reading_.major_faults;
  sample.memory_stall = reading_.memory_stall;
  sample.processes = std::max<std::int64_t>(reading_.processes - kOwnTasks, 0);
  sample.oom_kills = reading_.oom_kills;
  sample.host_cpu_pressure = pressure_;
  sample.run_queue_wait = std::exchange(run_queue_wait_, std::nullopt);
  sample.agent_memory = own_memory_;
  stretch_peak_ = sample.peak_unreclaimable ? sample.unreclaimable
                                            : std::max(stretch_peak_, sample.unreclaimable);
  peak_unreclaimable_ =
      std::max(peak_unreclaimable_, sample.peak_unreclaimable.value_or(sample.unreclaimable));
  return sample;
}

}  // namespace mlprof::agent
