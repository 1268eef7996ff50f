#include "server/analysis/series.h"

#include <algorithm>
#include <limits>
#include <map>

#include "common/time/seconds.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::milliseconds kRateWindow{100};
// The agent reads stall and wait at few samples: a short window would hold two readings or none.
constexpr std::chrono::seconds kWaitWindow{1};

double Count(Bytes bytes) { return static_cast<double>(bytes.count()); }

Series OfAgent(const char* name, const char* unit) { return {name, unit, "agent", {}}; }

struct AgentSeries {
  Series cpu = OfAgent("cpuCores", "cores");
  Series throttled = OfAgent("throttledShare", "share");
  Series memory = OfAgent("memoryInBytes", "bytes");
  Series cache = OfAgent("cacheInBytes", "bytes");
  Series processes = OfAgent("processes", "tasks");
  Series peak = OfAgent("peakMemoryInBytes", "bytes");
  Series mapped = OfAgent("mappedFileInBytes", "bytes");
  Series lag = {"sendLagInMs", "milliseconds", "replay", {}};
  Series pressure = OfAgent("hostCpuPressure", "percent");
  Series stall = OfAgent("memoryStallShare", "share");
  Series waiting = OfAgent("waitingThreads", "threads");

  void AddLevels(const Sample& sample) {
    memory.points.push_back({sample.at, Count(sample.unreclaimable)});
    cache.points.push_back({sample.at, Count(sample.cache)});
    processes.points.push_back({sample.at, static_cast<double>(sample.processes)});
    if (const auto& most = sample.peak_unreclaimable) {
      peak.points.push_back({sample.at, Count(*most)});
    }
    if (sample.mapped_file > Bytes()) {
      mapped.points.push_back({sample.at, Count(sample.mapped_file)});
    }
    if (const auto& late = sample.send_lag) {
      lag.points.push_back({sample.at, Seconds(*late) * 1000});
    }
    if (const auto& share = sample.host_cpu_pressure) {
      pressure.points.push_back({sample.at, *share});
    }
  }

  void AddRates(const Sample& before, const Sample& after) {
    const double used = Seconds(after.cpu_time - before.cpu_time);
    cpu.points.push_back({after.at, used / Seconds(after.at - before.at)});
    const std::int64_t periods = after.periods - before.periods;
    if (periods <= 0) return;
    const auto held = static_cast<double>(after.throttled_periods - before.throttled_periods);
    throttled.points.push_back({after.at, held / static_cast<double>(periods)});
  }

  std::vector<Series> Take() && {
    std::vector<Series> taken;
    for (Series* series : {&cpu, &throttled, &memory, &cache, &processes, &peak, &mapped, &lag,
                           &pressure, &stall, &waiting}) {
      if (!series->points.empty()) taken.push_back(std::move(*series));
    }
    return taken;
  }
};

bool SameContainer(const Sample& before, const Sample& after) {
  return after.cpu_time >= before.cpu_time && after.periods >= before.periods;
}

// The time by which a sum of waiting times grew, by the time in which it did.
struct WaitRate {
  std::optional<std::chrono::nanoseconds> Sample::*sum;
  Series& series;
  double most;
  const Sample* window_start = nullptr;

  void Add(const Sample& sample) {
    if (!(sample.*sum)) return;
    if (window_start == nullptr || !SameContainer(*window_start, sample) ||
        sample.*sum < window_start->*sum) {
      window_start = &sample;
      return;
    }
    const std::chrono::nanoseconds window = sample.at - window_start->at;
    if (window < kWaitWindow) return;
    const double rate = Seconds(*(sample.*sum) - *(window_start->*sum)) / Seconds(window);
    series.points.push_back({sample.at, std::min(rate, most)});
    window_start = &sample;
  }
};

}  // namespace

std::vector<Series> MakeSeries(std::span<const Sample> samples) {
  AgentSeries series;
  const Sample* window_start = nullptr;
  WaitRate stall{&Sample::memory_stall, series.stall, 1.0};
  WaitRate wait{&Sample::run_queue_wait, series.waiting, std::numeric_limits<double>::infinity()};
  for (const Sample& sample : samples) {
    series.AddLevels(sample);
    stall.Add(sample);
    wait.Add(sample);
    if (window_start == nullptr || !SameContainer(*window_start, sample)) {
      window_start = &sample;
    } else if (sample.at - window_start->at >= kRateWindow) {
      series.AddRates(*window_start, sample);
      window_start = &sample;
    }
  }
  return std::move(series).Take();
}

std::vector<Series> Join(std::vector<Series> parts) {
  std::map<std::pair<std::string, std::string>, Series> joined;
  for (Series& part : parts) {
    const auto [known, is_new] = joined.try_emplace({part.name, part.source});
    if (is_new) {
      known->second = std::move(part);
      continue;
    }
    auto& points = known->second.points;
    points.insert(points.end(), part.points.begin(), part.points.end());
  }
  std::vector<Series> all;
  for (auto& [key, series] : joined) all.push_back(std::move(series));
  return all;
}

std::vector<SeriesPoint> Thin(std::span<const SeriesPoint> points, std::size_t max_points) {
  if (points.size() <= max_points) return {points.begin(), points.end()};
  const std::size_t buckets = std::max<std::size_t>(1, max_points / 2);
  std::vector<SeriesPoint> thin;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const auto at = [&](std::size_t n) {
      return points.begin() + static_cast<std::ptrdiff_t>(n * points.size() / buckets);
    };
    auto [smallest, largest] = std::minmax_element(
        at(bucket), at(bucket + 1), [](const auto& a, const auto& b) { return a.value < b.value; });
    if (largest < smallest) std::swap(smallest, largest);
    thin.push_back(*smallest);
    if (largest != smallest && thin.size() < max_points) thin.push_back(*largest);
  }
  return thin;
}

}  // namespace mlprof::server
