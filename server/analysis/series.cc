#include "server/analysis/series.h"

#include <algorithm>
#include <limits>

namespace mlprof {
namespace {

constexpr std::chrono::milliseconds kRateWindow{100};
// The agent reads stall and wait at few samples: a short window would hold two readings or none.
constexpr std::chrono::seconds kWaitWindow{1};

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

void AddRates(const Sample& before, const Sample& after, std::map<std::string, Series>& series) {
  const double at = Seconds(after.at);
  const double cpu = Seconds(after.cpu_time - before.cpu_time);
  series["cpuCores"].emplace_back(at, cpu / Seconds(after.at - before.at));
  const std::int64_t periods = after.periods - before.periods;
  if (periods <= 0) return;
  const auto throttled = static_cast<double>(after.throttled_periods - before.throttled_periods);
  series["throttledShare"].emplace_back(at, throttled / static_cast<double>(periods));
}

void AddOptional(const Sample& sample, std::map<std::string, Series>& series) {
  const double at = Seconds(sample.at);
  if (const auto& peak = sample.peak_unreclaimable) {
    series["peakMemoryInBytes"].emplace_back(at, static_cast<double>(peak->count()));
  }
  if (sample.mapped_file > Bytes()) {
    series["mappedFileInBytes"].emplace_back(at, static_cast<double>(sample.mapped_file.count()));
  }
  if (const auto& lag = sample.send_lag) {
    series["sendLagInMs"].emplace_back(at, Seconds(*lag) * 1000);
  }
  if (const auto& pressure = sample.host_cpu_pressure) {
    series["hostCpuPressure"].emplace_back(at, *pressure);
  }
}

bool SameContainer(const Sample& before, const Sample& after) {
  return after.cpu_time >= before.cpu_time && after.periods >= before.periods;
}

// The time by which a sum of waiting times grew, by the time in which it did.
struct WaitRate {
  std::optional<std::chrono::nanoseconds> Sample::*sum;
  const char* name;
  double most;
  const Sample* window_start = nullptr;

  void Add(const Sample& sample, std::map<std::string, Series>& series) {
    if (!(sample.*sum)) return;
    if (window_start == nullptr || !SameContainer(*window_start, sample) ||
        sample.*sum < window_start->*sum) {
      window_start = &sample;
      return;
    }
    const std::chrono::nanoseconds window = sample.at - window_start->at;
    if (window < kWaitWindow) return;
    const double rate = Seconds(*(sample.*sum) - *(window_start->*sum)) / Seconds(window);
    series[name].emplace_back(Seconds(sample.at), std::min(rate, most));
    window_start = &sample;
  }
};

}  // namespace

std::map<std::string, Series> MakeSeries(std::span<const Sample> samples) {
  std::map<std::string, Series> series;
  const Sample* window_start = nullptr;
  WaitRate stall{&Sample::memory_stall, "memoryStallShare", 1.0};
  WaitRate wait{&Sample::run_queue_wait, "waitingThreads", std::numeric_limits<double>::infinity()};
  for (const Sample& sample : samples) {
    const double at = Seconds(sample.at);
    series["memoryInBytes"].emplace_back(at, static_cast<double>(sample.unreclaimable.count()));
    series["cacheInBytes"].emplace_back(at, static_cast<double>(sample.cache.count()));
    series["processes"].emplace_back(at, static_cast<double>(sample.processes));
    AddOptional(sample, series);
    stall.Add(sample, series);
    wait.Add(sample, series);
    if (window_start == nullptr || !SameContainer(*window_start, sample)) {
      window_start = &sample;
    } else if (sample.at - window_start->at >= kRateWindow) {
      AddRates(*window_start, sample, series);
      window_start = &sample;
    }
  }
  return series;
}

Series Thin(const Series& series, std::size_t max_points) {
  if (series.size() <= max_points) return series;
  const std::size_t buckets = std::max<std::size_t>(1, max_points / 2);
  Series thin;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const auto at = [&](std::size_t n) {
      return series.begin() + static_cast<std::ptrdiff_t>(n * series.size() / buckets);
    };
    auto [smallest, largest] =
        std::minmax_element(at(bucket), at(bucket + 1),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    if (largest < smallest) std::swap(smallest, largest);
    thin.push_back(*smallest);
    if (largest != smallest && thin.size() < max_points) thin.push_back(*largest);
  }
  return thin;
}

}  // namespace mlprof
