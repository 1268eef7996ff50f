// What was measured under stated limits. Absent means not measured; it is never written as 0.
#pragma once

#include <cstdint>
#include <optional>

#include "common/domain/limits.h"

namespace mlprof {

struct Measurements {
  Limits measured_at;
  std::optional<double> max_utilized_cpu;    // largest mean over one second, cores
  std::optional<Bytes> max_utilized_memory;  // unreclaimable, all runs, without the agent's own
  std::int64_t total_queries = 0;
  std::int64_t success_queries = 0;
  std::optional<double> average_latency_ms;
  std::optional<double> latency_p50_ms;
  std::optional<double> latency_p90_ms;
  std::optional<double> latency_p95_ms;
  std::optional<double> latency_p99_ms;
  std::optional<double> latency_p999_ms;
  std::optional<double> queries_per_second;
  std::optional<double> cpu_seconds_per_query;
  std::optional<double> start_seconds;
  std::optional<double> start_cpu_seconds;
  std::optional<Bytes> start_peak_memory;
  std::optional<Bytes> serving_peak_memory;
  std::optional<Bytes> cache_memory;
  std::optional<double> throttled_share;  // of CFS periods, 0 to 1
  std::optional<Bytes> memory_per_concurrent_query;
  std::int64_t rows_replayed = 0;  // distinct rows of the dataset that were replayed
};

}  // namespace mlprof
