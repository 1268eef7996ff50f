#include <array>

#include "common/domain/findings.h"
#include "common/json/cpu_point_json.h"
#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/scalar_json.h"

namespace mlprof {
namespace {

constexpr std::array<std::string_view, 3> kTrendNames = {"flat", "growing", "unknown"};

std::string_view NameOf(MemoryTrend trend) {
  return kTrendNames.at(static_cast<std::size_t>(trend));
}

MemoryTrend ParseTrend(std::string_view name) {
  if (name == "flat") return MemoryTrend::kFlat;
  return name == "growing" ? MemoryTrend::kGrowing : MemoryTrend::kUnknown;
}

Json EncodeReplay(const ReplayCapacity& replay) {
  return {{"requestsPerSecond", replay.requests_per_second},
          {"latencyPercentile50InMs", replay.p50_ms},
          {"controllerMicrosecondsPerRequest", replay.controller_us_per_request}};
}

ReplayCapacity ReadReplay(JsonReader& reader) {
  return {reader.Number("requestsPerSecond").value_or(0),
          reader.Number("latencyPercentile50InMs").value_or(0),
          reader.Number("controllerMicrosecondsPerRequest").value_or(0)};
}

Json EncodeMemory(const MemoryFindings& memory) {
  return {{"trend", NameOf(memory.trend)},
          {"requests", memory.requests},
          {"bytesPerRequest", Figure(memory.bytes_per_request)},
          {"hoursToOutOfMemory", Figure(memory.hours_to_out_of_memory)},
          {"loadPeakInBytes", Figure(memory.load_peak)},
          {"servingPeakInBytes", Figure(memory.serving_peak)},
          {"hotFileInBytes", Figure(memory.hot_file)},
          {"filesOfOthersInBytes", Figure(memory.files_of_others)},
          {"perConcurrentRequestInBytes", Figure(memory.per_concurrent_request)},
          {"requestsInFlight", Figure(memory.in_flight)},
          {"steadyConfidence", Figure(memory.steady_confidence)}};
}

MemoryFindings ReadMemory(JsonReader& reader) {
  MemoryFindings memory;
  memory.trend = ParseTrend(reader.String("trend").value_or(""));
  Assign(memory.requests, reader.BigInteger("requests"));
  memory.bytes_per_request = reader.Number("bytesPerRequest");
  memory.hours_to_out_of_memory = reader.Number("hoursToOutOfMemory");
  memory.load_peak = ReadBytes(reader, "loadPeakInBytes");
  memory.serving_peak = ReadBytes(reader, "servingPeakInBytes");
  memory.hot_file = ReadBytes(reader, "hotFileInBytes");
  memory.files_of_others = ReadBytes(reader, "filesOfOthersInBytes");
  memory.per_concurrent_request = ReadBytes(reader, "perConcurrentRequestInBytes");
  memory.in_flight = reader.Integer("requestsInFlight");
  memory.steady_confidence = reader.Number("steadyConfidence");
  return memory;
}

Json EncodePayload(const PayloadCost& payload) {
  return {{"cpuBaseInMs", payload.cpu_base_ms},
          {"cpuPerKibInMs", payload.cpu_ms_per_kib},
          {"memoryBytesPerByte", Figure(payload.memory_bytes_per_byte)},
          {"correlation", payload.correlation}};
}

PayloadCost ReadPayload(JsonReader& reader) {
  PayloadCost payload;
  Assign(payload.cpu_base_ms, reader.Number("cpuBaseInMs"));
  Assign(payload.cpu_ms_per_kib, reader.Number("cpuPerKibInMs"));
  payload.memory_bytes_per_byte = reader.Number("memoryBytesPerByte");
  Assign(payload.correlation, reader.Number("correlation"));
  return payload;
}

HeavyRow ReadHeavyRow(JsonReader& reader) {
  return {reader.BigInteger("row").value_or(0), reader.String("why").value_or(""),
          reader.Number("value").value_or(0), reader.Number("median").value_or(0)};
}

Json EncodeThreadPools(const ThreadPoolFindings& pools) {
  return {{"threads", pools.threads},     {"processes", pools.processes},
          {"libraries", pools.libraries}, {"environmentVariables", pools.environment},
          {"gain", Figure(pools.gain)},   {"savedCpu", Figure(pools.cpu_saved)},
          {"adopted", pools.adopted}};
}

ThreadPoolFindings ReadThreadPools(JsonReader& reader) {
  ThreadPoolFindings pools;
  Assign(pools.threads, reader.Integer("threads"));
  Assign(pools.processes, reader.Integer("processes"));
  Assign(pools.libraries, reader.Strings("libraries"));
  Assign(pools.environment, reader.StringMap("environmentVariables"));
  pools.gain = reader.Number("gain");
  pools.cpu_saved = reader.Number("savedCpu");
  Assign(pools.adopted, reader.Boolean("adopted"));
  return pools;
}

Json EncodeOverload(const OverloadFindings& overload) {
  return {{"maxUtilizedMemoryInBytes", Figure(overload.max_utilized_memory)},
          {"maxUtilizedCpu", Figure(overload.max_utilized_cpu)},
          {"concurrency", Figure(overload.concurrency)}};
}

OverloadFindings ReadOverload(JsonReader& reader) {
  return {ReadBytes(reader, "maxUtilizedMemoryInBytes"), reader.Number("maxUtilizedCpu"),
          reader.Integer("concurrency")};
}

Json EncodeColdRows(const ColdRows& cold) {
  return {{"rows", cold.rows},
          {"dearRows", cold.dear_rows},
          {"averageLatencyInMs", cold.average_latency_ms},
          {"latencyPercentile95InMs", cold.p95_latency_ms},
          {"cpuPerRowInMs", Figure(cold.cpu_ms_per_row)},
          {"warmAverageLatencyInMs", cold.warm_average_latency_ms},
          {"warmLatencyPercentile95InMs", cold.warm_p95_latency_ms},
          {"warmCpuPerRowInMs", Figure(cold.warm_cpu_ms_per_row)},
          {"memoryRiseInBytes", Figure(cold.memory_rise)}};
}

ColdRows ReadColdRows(JsonReader& reader) {
  ColdRows cold;
  Assign(cold.rows, reader.BigInteger("rows"));
  Assign(cold.dear_rows, reader.BigInteger("dearRows"));
  Assign(cold.average_latency_ms, reader.Number("averageLatencyInMs"));
  Assign(cold.p95_latency_ms, reader.Number("latencyPercentile95InMs"));
  cold.cpu_ms_per_row = reader.Number("cpuPerRowInMs");
  Assign(cold.warm_average_latency_ms, reader.Number("warmAverageLatencyInMs"));
  Assign(cold.warm_p95_latency_ms, reader.Number("warmLatencyPercentile95InMs"));
  cold.warm_cpu_ms_per_row = reader.Number("warmCpuPerRowInMs");
  cold.memory_rise = ReadBytes(reader, "memoryRiseInBytes");
  return cold;
}

Json EncodeResponseCache(const ResponseCache& cache) {
  return {{"rows", cache.rows},
          {"firstLatencyInMs", cache.first_latency_ms},
          {"repeatLatencyInMs", cache.repeat_latency_ms},
          {"firstCpuInMs", Figure(cache.first_cpu_ms)}};
}

ResponseCache ReadResponseCache(JsonReader& reader) {
  return {reader.BigInteger("rows").value_or(0), reader.Number("firstLatencyInMs").value_or(0),
          reader.Number("repeatLatencyInMs").value_or(0), reader.Number("firstCpuInMs")};
}

Json EncodeInputGrowth(const InputGrowth& growth) {
  return {{"rows", growth.rows}, {"bytesPerRow", growth.bytes_per_row}};
}

InputGrowth ReadInputGrowth(JsonReader& reader) {
  return {reader.BigInteger("rows").value_or(0), reader.Number("bytesPerRow").value_or(0)};
}

Json EncodeSavings(const std::vector<MemorySaving>& savings) {
  Json all = Json::array();
  for (const MemorySaving& saving : savings) {
    all.push_back({{"change", saving.change},
                   {"advice", saving.advice},
                   {"savesInBytes", saving.saves.count()},
                   {"basis", saving.measured ? "measured" : "estimated"}});
  }
  return all;
}

MemorySaving ReadSaving(JsonReader& reader) {
  return {reader.String("change").value_or(""), reader.String("advice").value_or(""),
          ReadBytes(reader, "savesInBytes").value_or(Bytes()),
          reader.String("basis").value_or("") == "measured"};
}

// What is no list is a problem.
template <class T>
std::vector<T> ReadItems(JsonReader& reader, std::string_view key, T (*read)(JsonReader&)) {
  std::vector<T> items;
  for (JsonReader& item : reader.Objects(key)) items.push_back(read(item));
  return items;
}

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
  for (const CpuPoint& point : curve.points) points.push_back(EncodeCpuPoint(point));
  return {{"points", std::move(points)},
          {"serialInMs", Figure(curve.serial_ms)},
          {"workInMs", Figure(curve.work_ms)},
          {"parallelism", Figure(curve.parallelism)},
          {"relativeError", Figure(curve.relative_error)}};
}

CpuCurve ReadCpuCurve(JsonReader& reader) {
  return {ReadItems(reader, "points", ReadCpuPoint), reader.Number("serialInMs"),
          reader.Number("workInMs"), reader.Number("parallelism"), reader.Number("relativeError")};
}

template <class T>
Json Part(const std::optional<T>& part, Json (*encode)(const T&)) {
  return part ? encode(*part) : Json(nullptr);
}

template <class T>
std::optional<T> ReadPart(JsonReader& reader, std::string_view key, T (*read)(JsonReader&)) {
  auto part = reader.Object(key);
  if (!part) return std::nullopt;
  return read(*part);
}

}  // namespace

Json EncodeFindings(const Findings& findings) {
  Json heavy_rows = Json::array();
  for (const HeavyRow& row : findings.heavy_rows) {
    heavy_rows.push_back(
        {{"row", row.row}, {"why", row.why}, {"value", row.value}, {"median", row.median}});
  }
  return {{"replay", Part(findings.replay, EncodeReplay)},
          {"load", Part(findings.load, EncodeLoadCurve)},
          {"cpu", Part(findings.cpu, EncodeCpuCurve)},
          {"memory", Part(findings.memory, EncodeMemory)},
          {"payload", Part(findings.payload, EncodePayload)},
          {"heavyRows", std::move(heavy_rows)},
          {"killingRows", findings.killing_rows},
          {"threadPools", Part(findings.thread_pools, EncodeThreadPools)},
          {"overload", Part(findings.overload, EncodeOverload)},
          {"coldRows", Part(findings.cold_rows, EncodeColdRows)},
          {"responseCache", Part(findings.response_cache, EncodeResponseCache)},
          {"inputGrowth", Part(findings.input_growth, EncodeInputGrowth)},
          {"memorySavings", EncodeSavings(findings.memory_savings)}};
}

Result<Findings> DecodeFindings(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Findings findings;
  findings.replay = ReadPart(reader, "replay", ReadReplay);
  findings.load = ReadPart(reader, "load", ReadLoadCurve);
  findings.cpu = ReadPart(reader, "cpu", ReadCpuCurve);
  findings.memory = ReadPart(reader, "memory", ReadMemory);
  findings.payload = ReadPart(reader, "payload", ReadPayload);
  findings.heavy_rows = ReadItems(reader, "heavyRows", ReadHeavyRow);
  Assign(findings.killing_rows, reader.BigIntegers("killingRows"));
  findings.thread_pools = ReadPart(reader, "threadPools", ReadThreadPools);
  findings.overload = ReadPart(reader, "overload", ReadOverload);
  findings.cold_rows = ReadPart(reader, "coldRows", ReadColdRows);
  findings.response_cache = ReadPart(reader, "responseCache", ReadResponseCache);
  findings.input_growth = ReadPart(reader, "inputGrowth", ReadInputGrowth);
  findings.memory_savings = ReadItems(reader, "memorySavings", ReadSaving);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return findings;
}

}  // namespace mlprof
