#include <utility>

#include "common/json/domain_json.h"
#include "common/json/limits_json.h"
#include "common/json/scalar_json.h"

namespace mlprof {

Json EncodeTrial(const Trial& trial) {
  Json limits = EncodeLimits(trial.limits);
  limits["memoryInGb"] = trial.limits.memory().gib();
  return {{"number", trial.number},
          {"purpose", Name(trial.purpose)},
          {"limits", std::move(limits)},
          {"concurrency", trial.requests_per_second ? Json(nullptr) : Json(trial.concurrency)},
          {"requestsPerSecond", Figure(trial.requests_per_second)},
          {"sendLagPercentile99InMs", Figure(trial.send_lag_p99_ms)},
          {"environmentVariables", trial.environment},
          {"startedTime", FormatTimestamp(trial.started)},
          {"seconds", trial.seconds},
          {"passed", trial.passed},
          {"verdict", trial.verdict},
          {"measurements", EncodeMeasurements(trial.measurements)}};
}

Result<Trial> DecodeTrial(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Trial trial;
  Assign(trial.number, reader.Integer("number"));
  const auto purpose = ParseTrialPurpose(reader.String("purpose").value_or(""));
  if (!purpose) reader.Problem("purpose", "must be the purpose of a trial");
  Assign(trial.purpose, purpose);
  if (auto limits = reader.Object("limits")) trial.limits = ReadLimits(*limits);
  Assign(trial.concurrency, reader.Integer("concurrency"));
  trial.requests_per_second = reader.Number("requestsPerSecond");
  trial.send_lag_p99_ms = reader.Number("sendLagPercentile99InMs");
  Assign(trial.environment, reader.StringMap("environmentVariables"));
  Assign(trial.started, ReadTimestamp(reader, "startedTime"));
  Assign(trial.seconds, reader.Number("seconds"));
  Assign(trial.passed, reader.Boolean("passed"));
  Assign(trial.verdict, reader.String("verdict"));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  if (json.contains("measurements")) {
    auto measurements = DecodeMeasurements(json["measurements"]);
    if (!measurements) return Fail(measurements.error().WithContext("measurements"));
    trial.measurements = *measurements;
  }
  return trial;
}

Json EncodeRowRecord(const RowRecord& row) {
  return {{"row", row.row},
          {"sizeInBytes", row.size.count()},
          {"replays", row.replays},
          {"status", row.status == 0 ? Json(nullptr) : Json(row.status)},
          {"latencyInMs", Figure(row.latency_ms)},
          {"serviceTimeInMs", Figure(row.service_time_ms)},
          {"cpuInMs", Figure(row.cpu_ms)},
          {"peakMemoryInBytes", Figure(row.peak_memory)},
          {"firstLatencyInMs", Figure(row.first_latency_ms)},
          {"firstCpuInMs", Figure(row.first_cpu_ms)}};
}

Result<RowRecord> DecodeRowRecord(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  RowRecord row;
  Assign(row.row, reader.BigInteger("row"));
  row.size = Bytes(reader.BigInteger("sizeInBytes").value_or(0));
  Assign(row.replays, reader.Integer("replays"));
  Assign(row.status, reader.Integer("status"));
  row.latency_ms = reader.Number("latencyInMs");
  row.service_time_ms = reader.Number("serviceTimeInMs");
  row.cpu_ms = reader.Number("cpuInMs");
  row.peak_memory = ReadBytes(reader, "peakMemoryInBytes");
  row.first_latency_ms = reader.Number("firstLatencyInMs");
  row.first_cpu_ms = reader.Number("firstCpuInMs");
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return row;
}

}  // namespace mlprof
