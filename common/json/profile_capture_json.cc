#include "common/json/profile_capture_json.h"

#include "common/json/json_reader.h"
#include "common/json/limits_json.h"
#include "common/json/scalar_json.h"

namespace mlprof {
namespace {

Json EncodeRowLatencies(const RowLatencies& latencies) {
  return {{"rows", latencies.rows},
          {"latencyPercentile50InMs", Figure(latencies.p50_ms)},
          {"latencyPercentile95InMs", Figure(latencies.p95_ms)}};
}

RowLatencies ReadRowLatencies(std::optional<JsonReader> reader) {
  RowLatencies latencies;
  if (!reader) return latencies;
  latencies.rows = reader->BigInteger("rows").value_or(0);
  latencies.p50_ms = reader->Number("latencyPercentile50InMs");
  latencies.p95_ms = reader->Number("latencyPercentile95InMs");
  return latencies;
}

Json EncodeCapturedRow(const CapturedRow& row) {
  return {{"row", row.row},
          {"visits", row.visits},
          {"latencyInMs", row.latency_ms},
          {"op", row.op.empty() ? Json() : Json(row.op)},
          {"opPercent", row.op_percent},
          {"othersInFlight", row.others_in_flight}};
}

CapturedRow ReadCapturedRow(JsonReader& reader) {
  CapturedRow row;
  row.row = reader.BigInteger("row").value_or(0);
  row.visits = reader.BigInteger("visits").value_or(0);
  row.latency_ms = reader.Number("latencyInMs").value_or(0);
  row.op = reader.String("op").value_or("");
  row.op_percent = reader.Number("opPercent").value_or(0);
  row.others_in_flight = reader.Number("othersInFlight").value_or(0);
  return row;
}

Json EncodeCosts(const std::optional<CapturedCosts>& costs) {
  if (!costs) return nullptr;
  return {{"most", costs->most},
          {"dutyCyclePercent", Figure(costs->duty_cycle_percent)},
          {"inputPercent", Figure(costs->input_percent)},
          {"advice", costs->advice}};
}

CapturedCosts ReadCosts(JsonReader& reader) {
  CapturedCosts costs;
  costs.most = reader.String("most").value_or("");
  costs.duty_cycle_percent = reader.Number("dutyCyclePercent");
  costs.input_percent = reader.Number("inputPercent");
  costs.advice = reader.Strings("advice").value_or(std::vector<std::string>());
  return costs;
}

Json EncodeProfileCapture(const ProfileCapture& capture) {
  Json rows = Json::array();
  for (const CapturedRow& row : capture.slowest_rows) rows.push_back(EncodeCapturedRow(row));
  return {{"id", capture.id},
          {"name", capture.name},
          {"load", Name(capture.load)},
          {"concurrency", Figure(capture.concurrency)},
          {"requestsPerSecond", Figure(capture.requests_per_second)},
          {"limits", EncodeLimits(capture.limits)},
          {"sizeInBytes", capture.size.count()},
          {"durationSeconds", capture.seconds},
          {"eventCount", capture.events},
          {"before", EncodeRowLatencies(capture.before)},
          {"during", EncodeRowLatencies(capture.during)},
          {"slowestRows", std::move(rows)},
          {"costs", EncodeCosts(capture.costs)}};
}

ProfileCapture ReadProfileCapture(JsonReader& reader) {
  ProfileCapture capture;
  Assign(capture.id, reader.String("id"));
  Assign(capture.name, reader.String("name"));
  Assign(capture.load, ParseCaptureLoad(reader.String("load").value_or("")));
  capture.concurrency = reader.Integer("concurrency");
  capture.requests_per_second = reader.Number("requestsPerSecond");
  if (auto limits = reader.Object("limits")) capture.limits = ReadLimits(*limits);
  capture.size = ReadBytes(reader, "sizeInBytes").value_or(Bytes());
  Assign(capture.seconds, reader.Number("durationSeconds"));
  capture.events = reader.BigInteger("eventCount").value_or(0);
  capture.before = ReadRowLatencies(reader.Object("before"));
  capture.during = ReadRowLatencies(reader.Object("during"));
  for (JsonReader& row : reader.Objects("slowestRows")) {
    capture.slowest_rows.push_back(ReadCapturedRow(row));
  }
  if (auto costs = reader.Object("costs")) capture.costs = ReadCosts(*costs);
  return capture;
}

}  // namespace

Json EncodeProfileCaptures(const std::vector<ProfileCapture>& captures) {
  Json json = Json::array();
  for (const ProfileCapture& capture : captures) json.push_back(EncodeProfileCapture(capture));
  return json;
}

Result<std::vector<ProfileCapture>> DecodeProfileCaptures(const Json& json) {
  if (!json.is_array()) return Fail(InvalidArgument("captures must be an array"));
  std::vector<FieldError> problems;
  std::vector<ProfileCapture> captures;
  for (const Json& item : json) {
    JsonReader reader(item, JoinPointer("", captures.size()), JsonReader::Mode::kResource,
                      problems);
    captures.push_back(ReadProfileCapture(reader));
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return captures;
}

}  // namespace mlprof
