#include "server/analysis/resource_use.h"

#include <algorithm>
#include <vector>

#include "common/time/seconds.h"
#include "server/analysis/verdict.h"

namespace mlprof::server {
namespace {

using std::chrono::nanoseconds;

// Of windows of at least one second, sliding by one sample.
std::optional<double> LargestMean(std::span<const Sample> samples) {
  std::optional<double> largest;
  std::size_t first = 0;
  for (std::size_t last = 1; last < samples.size(); ++last) {
    if (samples[last].cpu_time < samples[last - 1].cpu_time) first = last;
    while (first + 1 < last &&
           samples[last].at - samples[first + 1].at >= std::chrono::seconds(1)) {
      ++first;
    }
    const nanoseconds window = samples[last].at - samples[first].at;
    if (window < std::chrono::seconds(1)) continue;
    const double mean = Seconds(samples[last].cpu_time - samples[first].cpu_time) / Seconds(window);
    largest = std::max(largest.value_or(mean), mean);
  }
  return largest;
}

struct Totals {
  nanoseconds time{0};
  nanoseconds cpu{0};
  nanoseconds agent_cpu{0};
  std::int64_t periods = 0;
  std::int64_t throttled = 0;
  std::int64_t refaults = 0;
};

Totals AddUp(std::span<const Sample> samples) {
  Totals totals;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample& before = samples[i - 1];
    const Sample& after = samples[i];
    if (after.cpu_time < before.cpu_time) continue;
    totals.time += after.at - before.at;
    totals.cpu += after.cpu_time - before.cpu_time;
    totals.agent_cpu += after.agent_cpu_time - before.agent_cpu_time;
    totals.periods += std::max<std::int64_t>(0, after.periods - before.periods);
    totals.throttled +=
        std::max<std::int64_t>(0, after.throttled_periods - before.throttled_periods);
    totals.refaults += std::max<std::int64_t>(0, after.file_refaults - before.file_refaults) +
                       std::max<std::int64_t>(0, after.major_faults - before.major_faults);
  }
  return totals;
}

void AddPeaks(std::span<const Sample> samples, ResourceUse& use) {
  for (const Sample& sample : samples) {
    use.peak_unreclaimable =
        std::max({use.peak_unreclaimable.value_or(Bytes()), sample.unreclaimable,
                  sample.peak_unreclaimable.value_or(Bytes())});
    use.peak_mapped_file = std::max(use.peak_mapped_file, sample.mapped_file);
    use.most_tasks = std::max(use.most_tasks, sample.processes);
    use.peak_cache = std::max(use.peak_cache.value_or(Bytes()), sample.cache);
    use.peak_agent_memory = std::max(use.peak_agent_memory, sample.agent_memory);
  }
}

// The mean number of threads that waited for a core, from the first to the last of the few samples
// that tell it.
std::optional<double> WaitingThreads(std::span<const Sample> samples) {
  nanoseconds waited{0};
  nanoseconds time{0};
  const Sample* before = nullptr;
  for (const Sample& sample : samples) {
    if (!sample.run_queue_wait) continue;
    if (before != nullptr && sample.cpu_time >= before->cpu_time &&
        *sample.run_queue_wait >= *before->run_queue_wait) {
      waited += *sample.run_queue_wait - *before->run_queue_wait;
      time += sample.at - before->at;
    }
    before = &sample;
  }
  if (time.count() <= 0) return std::nullopt;
  return Seconds(waited) / Seconds(time);
}

}  // namespace

ResourceUse Summarize(std::span<const Sample> samples) {
  ResourceUse use;
  AddPeaks(samples, use);
  const Totals totals = AddUp(samples);
  if (totals.time.count() > 0) {
    use.cpu_seconds = Seconds(totals.cpu);
    use.mean_cores = Seconds(totals.cpu) / Seconds(totals.time);
    use.agent_cpu_seconds = Seconds(totals.agent_cpu);
    use.agent_cores = Seconds(totals.agent_cpu) / Seconds(totals.time);
  }
  if (totals.periods > 0) {
    use.throttled_share =
        static_cast<double>(totals.throttled) / static_cast<double>(totals.periods);
  }
  use.refaults = totals.refaults;
  use.max_cores = LargestMean(samples);
  use.waiting_threads = WaitingThreads(samples);
  return use;
}

std::optional<Bytes> MedianUnreclaimable(std::span<const Sample> samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<Bytes> values;
  values.reserve(samples.size());
  for (const Sample& sample : samples) values.push_back(sample.unreclaimable);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<double> CoresWithoutWaiting(const ResourceUse& use, int in_flight) {
  constexpr double kMostHeldUp = 0.9;  // of a request's time: at most ten times the mean is claimed
  // A thread that the quota stopped counts as waiting for a core too, so then nothing can be said.
  if (use.throttled_share.value_or(0) >= kUnboundShare) return std::nullopt;
  if (!use.mean_cores || !use.waiting_threads) return std::nullopt;
  const double held_up = std::min(*use.waiting_threads / in_flight, kMostHeldUp);
  return std::max(*use.mean_cores + *use.waiting_threads, *use.mean_cores / (1 - held_up));
}

std::span<const Sample> Between(std::span<const Sample> samples, nanoseconds from, nanoseconds to) {
  const auto begin = std::lower_bound(samples.begin(), samples.end(), from,
                                      [](const Sample& s, nanoseconds at) { return s.at < at; });
  const auto end = std::upper_bound(begin, samples.end(), to,
                                    [](nanoseconds at, const Sample& s) { return at < s.at; });
  return samples.subspan(static_cast<std::size_t>(begin - samples.begin()),
                         static_cast<std::size_t>(end - begin));
}

}  // namespace mlprof::server
