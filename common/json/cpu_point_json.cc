#include "common/json/cpu_point_json.h"

#include "common/json/scalar_json.h"

namespace mlprof {

Json EncodeCpuPoint(const CpuPoint& point) {
  return {{"cpu", point.cpu.value()},
          {"averageLatencyInMs", point.mean_ms},
          {"latencyPercentile50InMs", point.p50_ms},
          {"latencyPercentile95InMs", point.p95_ms},
          {"latencyPercentile99InMs", Figure(point.p99_ms)},
          {"requestsPerSecond", point.requests_per_second},
          {"throttledShare", point.throttled_share},
          {"passed", point.passed}};
}

CpuPoint ReadCpuPoint(JsonReader& reader) {
  CpuPoint point;
  point.cpu = Cores(reader.Number("cpu").value_or(0));
  Assign(point.mean_ms, reader.Number("averageLatencyInMs"));
  Assign(point.p50_ms, reader.Number("latencyPercentile50InMs"));
  Assign(point.p95_ms, reader.Number("latencyPercentile95InMs"));
  point.p99_ms = reader.Number("latencyPercentile99InMs");
  Assign(point.requests_per_second, reader.Number("requestsPerSecond"));
  Assign(point.throttled_share, reader.Number("throttledShare"));
  Assign(point.passed, reader.Boolean("passed"));
  return point;
}

}  // namespace mlprof
