#include "common/json/curves_json.h"

#include "common/json/figure_json.h"

namespace mlprof {
namespace {

Json EncodeLevel(const LoadLevel& level) {
  return {{"concurrency", level.concurrency},
          {"requestsPerSecond", level.requests_per_second},
          {"latencyPercentile50InMs", level.p50_ms},
          {"latencyPercentile95InMs", level.p95_ms},
          {"latencyPercentile99InMs", level.p99_ms},
          {"usedCpu", level.cores},
          {"peakMemoryInBytes", Figure(level.peak_memory)},
          {"errorRate", level.error_rate}};
}

LoadLevel ReadLevel(JsonReader& reader) {
  LoadLevel level;
  Assign(level.concurrency, reader.Integer("concurrency"));
  Assign(level.requests_per_second, reader.Number("requestsPerSecond"));
  Assign(level.p50_ms, reader.Number("latencyPercentile50InMs"));
  Assign(level.p95_ms, reader.Number("latencyPercentile95InMs"));
  Assign(level.p99_ms, reader.Number("latencyPercentile99InMs"));
  Assign(level.cores, reader.Number("usedCpu"));
  level.peak_memory = ReadBytes(reader, "peakMemoryInBytes");
  Assign(level.error_rate, reader.Number("errorRate"));
  return level;
}

Json EncodePoint(const CpuPoint& point) {
  return {{"cpu", point.cpu.value()},
          {"averageLatencyInMs", point.mean_ms},
          {"latencyPercentile50InMs", point.p50_ms},
          {"latencyPercentile95InMs", point.p95_ms},
          {"latencyPercentile99InMs", point.p99_ms},
          {"requestsPerSecond", point.requests_per_second},
          {"throttledShare", point.throttled_share},
          {"passed", point.passed}};
}

CpuPoint ReadPoint(JsonReader& reader) {
  CpuPoint point;
  point.cpu = Cores(reader.Number("cpu").value_or(0));
  Assign(point.mean_ms, reader.Number("averageLatencyInMs"));
  Assign(point.p50_ms, reader.Number("latencyPercentile50InMs"));
  Assign(point.p95_ms, reader.Number("latencyPercentile95InMs"));
  Assign(point.p99_ms, reader.Number("latencyPercentile99InMs"));
  Assign(point.requests_per_second, reader.Number("requestsPerSecond"));
  Assign(point.throttled_share, reader.Number("throttledShare"));
  Assign(point.passed, reader.Boolean("passed"));
  return point;
}

}  // namespace

Json EncodeLoadCurve(const LoadCurve& curve) {
  Json levels = Json::array();
  for (const LoadLevel& level : curve.levels) levels.push_back(EncodeLevel(level));
  return {{"levels", std::move(levels)}, {"kneeConcurrency", Figure(curve.knee_concurrency)}};
}

LoadCurve ReadLoadCurve(JsonReader& reader) {
  return {ReadItems(reader, "levels", ReadLevel), reader.Integer("kneeConcurrency")};
}

Json EncodeCpuCurve(const CpuCurve& curve) {
  Json points = Json::array();
  for (const CpuPoint& point : curve.points) points.push_back(EncodePoint(point));
  return {{"points", std::move(points)},
          {"serialInMs", Figure(curve.serial_ms)},
          {"workInMs", Figure(curve.work_ms)},
          {"parallelism", Figure(curve.parallelism)},
          {"relativeError", Figure(curve.relative_error)}};
}

CpuCurve ReadCpuCurve(JsonReader& reader) {
  return {ReadItems(reader, "points", ReadPoint), reader.Number("serialInMs"),
          reader.Number("workInMs"), reader.Number("parallelism"), reader.Number("relativeError")};
}

}  // namespace mlprof
