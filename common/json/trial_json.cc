#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/timestamp_json.h"

namespace mlprof {

Json EncodeTrial(const Trial& trial) {
  return {{"number", trial.number},
          {"purpose", Name(trial.purpose)},
          {"limits",
           {{"cpu", trial.limits.cpu.value()},
            {"memoryInGb", trial.limits.memory.gib()},
            {"memoryInBytes", trial.limits.memory.count()}}},
          {"concurrency", trial.concurrency},
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
  if (auto limits = reader.Object("limits")) {
    trial.limits = {Cores(limits->Number("cpu").value_or(0)),
                    Bytes(limits->BigInteger("memoryInBytes").value_or(0))};
  }
  Assign(trial.concurrency, reader.Integer("concurrency"));
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
  Json json = {
      {"row", row.row},         {"sizeInBytes", row.size.count()},
      {"replays", row.replays}, {"status", row.status == 0 ? Json(nullptr) : Json(row.status)},
      {"latencyInMs", nullptr}, {"serviceTimeInMs", nullptr},
      {"cpuInMs", nullptr},     {"peakMemoryInBytes", nullptr}};
  if (row.latency_ms) json["latencyInMs"] = *row.latency_ms;
  if (row.service_time_ms) json["serviceTimeInMs"] = *row.service_time_ms;
  if (row.cpu_ms) json["cpuInMs"] = *row.cpu_ms;
  if (row.peak_memory) json["peakMemoryInBytes"] = row.peak_memory->count();
  return json;
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
  if (const auto peak = reader.BigInteger("peakMemoryInBytes")) row.peak_memory = Bytes(*peak);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return row;
}

}  // namespace mlprof
