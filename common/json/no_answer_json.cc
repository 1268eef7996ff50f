#include "common/json/no_answer_json.h"

#include "common/json/json_reader.h"
#include "common/json/limits_json.h"
#include "common/json/scalar_json.h"

namespace mlprof {
namespace {

Json EncodeNearest(const NearestRun& run) {
  Json json = EncodeLimits(run.limits);
  json["memoryInGb"] = run.limits.memory().gib();
  json["concurrency"] = run.concurrency ? Json(*run.concurrency) : Json(nullptr);
  json["requestsPerSecond"] = Figure(run.requests_per_second);
  json["latencyPercentile95InMs"] = Figure(run.latency_p95_ms);
  json["measuredQueriesPerSecond"] = Figure(run.queries_per_second);
  json["shortOf"] = run.short_of;
  return json;
}

NearestRun ReadNearest(JsonReader& reader) {
  NearestRun run;
  run.limits = ReadLimits(reader);
  run.concurrency = reader.Integer("concurrency");
  run.requests_per_second = reader.Number("requestsPerSecond");
  run.latency_p95_ms = reader.Number("latencyPercentile95InMs");
  run.queries_per_second = reader.Number("measuredQueriesPerSecond");
  Assign(run.short_of, reader.String("shortOf"));
  return run;
}

}  // namespace

Json EncodeNoAnswer(const NoAnswer& no_answer) {
  return {{"code", no_answer.code},
          {"message", no_answer.message},
          {"nearest", no_answer.nearest ? EncodeNearest(*no_answer.nearest) : Json(nullptr)}};
}

Result<NoAnswer> DecodeNoAnswer(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  NoAnswer no_answer;
  Assign(no_answer.code, reader.String("code"));
  Assign(no_answer.message, reader.String("message"));
  if (auto run = reader.Object("nearest")) no_answer.nearest = ReadNearest(*run);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return no_answer;
}

}  // namespace mlprof
