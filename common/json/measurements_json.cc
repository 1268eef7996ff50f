#include "common/json/domain_json.h"
#include "common/json/limits_json.h"
#include "common/json/scalar_json.h"

namespace mlprof {
namespace {

Json InGib(const std::optional<Bytes>& value) { return value ? Json(value->gib()) : Json(nullptr); }

Json SuccessRate(const Measurements& m) {
  if (m.total_queries == 0) return nullptr;
  return static_cast<double>(m.success_queries) / static_cast<double>(m.total_queries);
}

}  // namespace

Json EncodeMeasurements(const Measurements& m) {
  return {
      {"measuredAt", EncodeLimits(m.measured_at)},
      {"maxUtilizedCpu", Figure(m.max_utilized_cpu)},
      {"maxUtilizedMemoryInGb", InGib(m.max_utilized_memory)},
      {"maxUtilizedMemoryInBytes", Figure(m.max_utilized_memory)},
      {"totalQueries", m.total_queries},
      {"successQueries", m.success_queries},
      {"successRate", SuccessRate(m)},
      {"averageLatencyInMs", Figure(m.average_latency_ms)},
      {"latencyPercentile50InMs", Figure(m.latency_p50_ms)},
      {"latencyPercentile90InMs", Figure(m.latency_p90_ms)},
      {"latencyPercentile95InMs", Figure(m.latency_p95_ms)},
      {"latencyPercentile99InMs", Figure(m.latency_p99_ms)},
      {"latencyPercentile999InMs", Figure(m.latency_p999_ms)},
      {"measuredQueriesPerSecond", Figure(m.queries_per_second)},
      {"cpuSecondsPerQuery", Figure(m.cpu_seconds_per_query)},
      {"startSeconds", Figure(m.start_seconds)},
      {"startCpuSeconds", Figure(m.start_cpu_seconds)},
      {"startPeakMemoryInBytes", Figure(m.start_peak_memory)},
      {"servingPeakMemoryInBytes", Figure(m.serving_peak_memory)},
      {"cacheMemoryInBytes", Figure(m.cache_memory)},
      {"throttledShare", Figure(m.throttled_share)},
      {"memoryPerConcurrentQueryInBytes", Figure(m.memory_per_concurrent_query)},
      {"rowsReplayed", m.rows_replayed},
  };
}

Result<Measurements> DecodeMeasurements(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Measurements m;
  if (auto at = reader.Object("measuredAt")) m.measured_at = ReadLimits(*at);
  m.max_utilized_cpu = reader.Number("maxUtilizedCpu");
  m.max_utilized_memory = ReadBytes(reader, "maxUtilizedMemoryInBytes");
  Assign(m.total_queries, reader.BigInteger("totalQueries"));
  Assign(m.success_queries, reader.BigInteger("successQueries"));
  m.average_latency_ms = reader.Number("averageLatencyInMs");
  m.latency_p50_ms = reader.Number("latencyPercentile50InMs");
  m.latency_p90_ms = reader.Number("latencyPercentile90InMs");
  m.latency_p95_ms = reader.Number("latencyPercentile95InMs");
  m.latency_p99_ms = reader.Number("latencyPercentile99InMs");
  m.latency_p999_ms = reader.Number("latencyPercentile999InMs");
  m.queries_per_second = reader.Number("measuredQueriesPerSecond");
  m.cpu_seconds_per_query = reader.Number("cpuSecondsPerQuery");
  m.start_seconds = reader.Number("startSeconds");
  m.start_cpu_seconds = reader.Number("startCpuSeconds");
  m.start_peak_memory = ReadBytes(reader, "startPeakMemoryInBytes");
  m.serving_peak_memory = ReadBytes(reader, "servingPeakMemoryInBytes");
  m.cache_memory = ReadBytes(reader, "cacheMemoryInBytes");
  m.throttled_share = reader.Number("throttledShare");
  m.memory_per_concurrent_query = ReadBytes(reader, "memoryPerConcurrentQueryInBytes");
  Assign(m.rows_replayed, reader.BigInteger("rowsReplayed"));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return m;
}

}  // namespace mlprof
