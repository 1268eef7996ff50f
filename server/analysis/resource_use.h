// What a stretch of samples says about CPU and memory. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "common/domain/sample.h"
#include "common/units/bytes.h"

namespace mlprof::server {

struct ResourceUse {
  std::optional<double> mean_cores;
  std::optional<double> max_cores;        // largest mean over one second
  std::optional<double> throttled_share;  // of the CFS periods in the stretch
  std::optional<double> cpu_seconds;
  /// Threads that stood ready to run and had no core, on average.
  std::optional<double> waiting_threads;
  std::optional<Bytes> peak_unreclaimable;  // gap-free where the agent could read it
  std::optional<Bytes> peak_cache;
  Bytes peak_mapped_file;
  std::int64_t refaults = 0;  // file pages and major faults: memory that was taken too early
  std::int64_t most_tasks = 0;
  Bytes peak_agent_memory;
  double agent_cores = 0;
  double agent_cpu_seconds = 0;
};

/// Samples of one container in the order they were taken. A counter that falls (a recreated cgroup)
/// ends a stretch and starts another: no negative rate is ever made of it.
ResourceUse Summarize(std::span<const Sample> samples);

/// Of the samples; nullopt of none.
std::optional<Bytes> MedianUnreclaimable(std::span<const Sample> samples);

/// The mean cores had no thread waited for a core, with so many requests in flight all the time:
/// the larger of two. Workers that compute all along would have used what they waited for. Requests
/// whose threads wait go on that much sooner, by Little's law; at most ten times the mean. Too much
/// where threads of the model wait for each other; too little where threads live shorter than the
/// half second between two readings. Absent where the quota throttled: that is a wait as well.
std::optional<double> CoresWithoutWaiting(const ResourceUse& use, int in_flight);

/// The part of `samples` taken within [from, to], both on the samples' own clock.
std::span<const Sample> Between(std::span<const Sample> samples, std::chrono::nanoseconds from,
                                std::chrono::nanoseconds to);

}  // namespace mlprof::server
