// What the analyses of a profile found, beside the answer itself. Absent means not measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/units/bytes.h"
#include "common/units/cores.h"

namespace mlprof {

/// One step of the load curve, at the ceiling.
struct LoadLevel {
  int concurrency = 1;
  double requests_per_second = 0;
  double p50_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
  double cores = 0;  // mean use
  std::optional<Bytes> peak_memory;
  double error_rate = 0;
  bool operator==(const LoadLevel&) const = default;
};

struct LoadCurve {
  std::vector<LoadLevel> levels;  // by concurrency
  /// The first level with at least 95% of the best throughput; absent where the curve ended before
  /// more in flight stopped bringing more.
  std::optional<int> knee_concurrency;
  bool operator==(const LoadCurve&) const = default;
};

/// The objective's load at one CPU limit.
struct CpuPoint {
  Cores cpu;
  double mean_ms = 0;
  double p50_ms = 0;
  double p95_ms = 0;
  std::optional<double> p99_ms = {};  // of a hundred requests or more
  double requests_per_second = 0;
  double throttled_share = 0;
  bool passed = false;
  bool operator==(const CpuPoint&) const = default;
};

/// Mean latency at C cores as serial + work / min(C, parallelism), Amdahl's law.
struct CpuCurve {
  std::vector<CpuPoint> points;  // by limit
  std::optional<double> serial_ms;
  std::optional<double> work_ms;
  std::optional<double> parallelism;
  std::optional<double> relative_error;  // root mean square, of the fit
  bool operator==(const CpuCurve&) const = default;
};

enum class MemoryTrend { kFlat, kGrowing, kUnknown };

struct MemoryFindings {
  MemoryTrend trend = MemoryTrend::kUnknown;
  std::int64_t requests = 0;  // over which the trend was judged
  std::optional<double> bytes_per_request;
  std::optional<double> hours_to_out_of_memory;  // at the recommended limit and the measured rate
  std::optional<Bytes> load_peak;                // until ready
  std::optional<Bytes> serving_peak;
  /// File pages the model needs resident to be as fast as it is (weights mapped from a file).
  std::optional<Bytes> hot_file;
  /// File pages that it has mapped and another container of the machine paid for.
  std::optional<Bytes> files_of_others = {};
  std::optional<Bytes> per_concurrent_request;
  /// Requests of the objective's rate at once, that one arrival in 10,000 exceeds.
  std::optional<int> in_flight = {};
  /// How sure it is that 95% of all later windows have no higher peak than the n that were seen:
  /// 1 - 0.95^n.
  std::optional<double> steady_confidence;
  bool operator==(const MemoryFindings&) const = default;
};

/// Cost as base + slope × body size, by Theil-Sen over the rows.
struct PayloadCost {
  double cpu_base_ms = 0;
  double cpu_ms_per_kib = 0;
  std::optional<double> memory_bytes_per_byte;
  double correlation = 0;  // rank correlation of size and CPU time, -1 to 1
  bool operator==(const PayloadCost&) const = default;
};

struct HeavyRow {
  std::int64_t row = 0;
  std::string why;    // "cpu" | "memory" | "latency" | "size"
  double value = 0;   // milliseconds or bytes
  double median = 0;  // of all rows, in the same unit
  bool operator==(const HeavyRow&) const = default;
};

/// What the first visit of a row to a process costs, beside later ones: compilation for its shape,
/// a cache that fills. Over the rows of which both were seen; means of a row.
struct ColdRows {
  std::int64_t rows = 0;
  std::int64_t dear_rows = 0;  // whose first visit cost far more than a later one
  double average_latency_ms = 0;
  double p95_latency_ms = 0;
  std::optional<double> cpu_ms_per_row;
  double warm_average_latency_ms = 0;
  double warm_p95_latency_ms = 0;
  std::optional<double> warm_cpu_ms_per_row;
  std::optional<Bytes> memory_rise;  // from the first request to the last first visit
  bool operator==(const ColdRows&) const = default;
};

/// Rows that were answered before are answered again for next to nothing: medians.
struct ResponseCache {
  std::int64_t rows = 0;  // first visits that were compared
  double first_latency_ms = 0;
  double repeat_latency_ms = 0;
  std::optional<double> first_cpu_ms;
  bool operator==(const ResponseCache&) const = default;
};

/// Memory rose with every distinct row and not when rows came again.
struct InputGrowth {
  std::int64_t rows = 0;  // distinct ones that were sent
  double bytes_per_row = 0;
  bool operator==(const InputGrowth&) const = default;
};

/// Thread pools sized by the host rather than by the quota.
struct ThreadPoolFindings {
  int threads = 0;
  int processes = 0;
  std::vector<std::string> libraries;              // "libgomp"…
  std::map<std::string, std::string> environment;  // the setting that was tried
  std::optional<double> gain;                      // p95 without over p95 with it; 1: not known
  std::optional<double> cpu_saved;                 // cores
  bool adopted = false;
  bool operator==(const ThreadPoolFindings&) const = default;
};

/// What the replay itself can do on this host, against a target that does nothing.
struct ReplayCapacity {
  double requests_per_second = 0;
  double p50_ms = 0;
  double controller_us_per_request = 0;
  bool operator==(const ReplayCapacity&) const = default;
};

/// What more load than the objective's took: of the load curve, and of what the answer was seen to
/// sustain. In no other figure.
struct OverloadFindings {
  std::optional<Bytes> max_utilized_memory;  // unreclaimable
  std::optional<double> max_utilized_cpu;    // largest mean over one second, cores
  std::optional<int> concurrency;            // most rows in flight; absent: of rates alone
  bool operator==(const OverloadFindings&) const = default;
};

/// A change that lets the model do with less memory.
struct MemorySaving {
  /// "inFlight", "rows", "rowSize", "workers", "preload", "loading", "precision" or "arenas".
  std::string change;
  std::string advice;  // what to do and why, with its figures
  Bytes saves;         // of what the model needs now
  /// From figures that were measured of this model, or estimated from its files.
  bool measured = false;
  bool operator==(const MemorySaving&) const = default;
};

struct Findings {
  std::optional<ReplayCapacity> replay;
  std::optional<LoadCurve> load;
  std::optional<CpuCurve> cpu;
  std::optional<MemoryFindings> memory;
  std::optional<PayloadCost> payload;
  std::vector<HeavyRow> heavy_rows;
  std::vector<std::int64_t> killing_rows;  // rows that ended the model and were left out
  std::optional<ThreadPoolFindings> thread_pools;
  std::optional<OverloadFindings> overload;
  std::optional<ColdRows> cold_rows;
  std::optional<ResponseCache> response_cache;
  std::optional<InputGrowth> input_growth;
  std::vector<MemorySaving> memory_savings;  // the greatest first
  bool operator==(const Findings&) const = default;
};

}  // namespace mlprof
