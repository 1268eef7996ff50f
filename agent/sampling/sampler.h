// Takes samples at absolute times: a late one does not move the next, and samples that were missed
// altogether are left out rather than made up.
//
// What a sample costs is charged to the container it measures, so samples become rarer where
// nothing moves (SamplePace), and each part is read as often as it is of use: CPU and memory at
// every sample where they have moved, all else every 100 ms, the kernel's marks of the processes'
// peaks (HighWater), which lose nothing by waiting, every 250 ms, the time that threads waited for
// a core (RunQueue) every 500 ms.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "agent/loop/event_loop.h"
#include "agent/sampling/cgroup_reader.h"
#include "agent/sampling/high_water.h"
#include "agent/sampling/proc.h"
#include "agent/sampling/run_queue.h"
#include "agent/sampling/sample_pace.h"
#include "common/domain/sample.h"

namespace mlprof::agent {

class Sampler {
 public:
  using Sink = std::function<void(const Sample&)>;
  Sampler(EventLoop& loop, const CgroupReader& cgroup, const ProcReader& proc,
          HighWater& high_water, RunQueue& run_queue)
      : loop_(loop), cgroup_(cgroup), proc_(proc), high_water_(high_water), run_queue_(run_queue) {}

  /// At most 1000 a second.
  void Start(std::chrono::microseconds interval, Sink sink);
  void Stop() { loop_.Cancel(timer_); }
  /// A row came in at `now`: samples keep the interval, or come back to it.
  void Stir(Clock::time_point now);
  /// Nothing moves, and samples are rare.
  bool calm() const { return pace_.calm(); }
  /// The model serves from now on. Until then each sample carries its own peak, because a load maps
  /// and unmaps files; from then on one in 250 ms does.
  void BeginServing() { pace_.BeginServing(); }
  /// The next sample carries a peak: a row's has just been measured.
  void CarryPeak() { peak_at_ = {}; }

  /// The page cache was dropped: what the model has of files from now on and does not pay for,
  /// others have mapped.
  void TellUnchargedFiles() { tells_uncharged_ = true; }

  /// Kernel memory that the agent's own doing has left charged to the container: from now on it is
  /// taken out with the agent's own memory. Not what is negative.
  void TakeOut(Bytes left_behind) { left_behind_ = std::max(Bytes(0), left_behind); }

  /// One whole reading now, its peak included and the agent's own cost taken out.
  Sample Take();
  /// The largest of all samples and their peaks.
  Bytes peak_unreclaimable() const { return peak_unreclaimable_; }

 private:
  void Tick();
  void Await();
  void ReadDue(Clock::time_point now);
  void ReadMemory(Clock::time_point now);
  Sample Compose(Clock::time_point now);
  /// The sample carries what only the processes' marks tell of the stretch that ends now.
  void EndStretch(Clock::time_point now, Sample& sample);
  std::optional<HighWater::Rise> ReadTogether(HighWater::Rise first, Clock::time_point now);
  Bytes Unreclaimable() const;

  EventLoop& loop_;
  const CgroupReader& cgroup_;
  const ProcReader& proc_;
  HighWater& high_water_;
  RunQueue& run_queue_;
  Sink sink_;
  SamplePace pace_;
  TimerId timer_{};

  std::chrono::nanoseconds own_cpu_time_{0};
  CgroupReading reading_{};
  Bytes own_memory_;
  Bytes left_behind_;
  std::optional<double> pressure_;
  std::optional<std::chrono::nanoseconds> run_queue_wait_;  // until a sample has carried it
  // When each part was last read.
  Clock::time_point memory_at_{};
  Clock::time_point rest_at_{};
  Clock::time_point pressure_at_{};
  Clock::time_point peak_at_{};
  Bytes usage_at_memory_;
  std::chrono::nanoseconds cpu_time_at_throttling_{0};
  bool marks_readable_ = false;

  std::chrono::nanoseconds last_cpu_time_{0};
  bool tells_uncharged_ = false;
  Bytes stretch_peak_;  // of the samples since the last one that carried a peak
  Bytes peak_unreclaimable_;
};

}  // namespace mlprof::agent
