#include "common/json/variant_comparison_json.h"

#include "common/json/limits_json.h"
#include "common/json/profile_request_json.h"
#include "common/json/scalar_json.h"
#include "common/json/variants_json.h"

namespace mlprof {

namespace {

Json EncodeFigures(const VariantFigures& figures) {
  return {{"requestedCpu", figures.requested.cpu().value()},
          {"requestedMemoryInGb", figures.requested.memory().gib()},
          {"requestedMemoryInBytes", figures.requested.memory().count()},
          {"latencyPercentile95InMs", Figure(figures.p95_ms)},
          {"requestsPerSecond", Figure(figures.requests_per_second)},
          {"costPerReplicaHour", figures.cost_per_hour},
          {"costPerMillionRequests", Figure(figures.cost_per_million)}};
}

VariantFigures ReadFigures(JsonReader& reader) {
  VariantFigures figures;
  figures.requested = {Cores(reader.Number("requestedCpu").value_or(0)),
                       ReadBytes(reader, "requestedMemoryInBytes").value_or(Bytes())};
  figures.p95_ms = reader.Number("latencyPercentile95InMs");
  figures.requests_per_second = reader.Number("requestsPerSecond");
  Assign(figures.cost_per_hour, reader.Number("costPerReplicaHour"));
  figures.cost_per_million = reader.Number("costPerMillionRequests");
  return figures;
}

Json EncodeResult(const VariantResult& result) {
  Json json = EncodeVariant(result.variant);
  json["profile"] = result.profile;
  json["profileId"] = result.profile_id;
  json["outcome"] = Name(result.outcome);
  json["why"] = result.why.empty() ? Json(nullptr) : Json(result.why);
  json["progress"] = EncodeProgress(result.progress);
  json["figures"] = result.figures ? EncodeFigures(*result.figures) : Json(nullptr);
  json["rank"] = Figure(result.rank);
  json["onFront"] = result.on_front;
  return json;
}

VariantResult ReadResult(JsonReader& reader, Variant variant) {
  VariantResult result;
  result.variant = std::move(variant);
  Assign(result.profile, reader.String("profile"));
  Assign(result.profile_id, reader.String("profileId"));
  const auto outcome = ParseVariantOutcome(reader.String("outcome").value_or(""));
  if (!outcome) reader.Problem("outcome", "must be the outcome of a variant");
  Assign(result.outcome, outcome);
  Assign(result.why, reader.String("why"));
  if (auto progress = reader.Object("progress")) {
    Assign(result.progress.phase, progress->String("phase"));
    Assign(result.progress.fraction, progress->Number("fraction"));
    Assign(result.progress.message, progress->String("message"));
    result.progress.seconds_left = progress->Number("secondsLeft");
  }
  if (auto figures = reader.Object("figures")) result.figures = ReadFigures(*figures);
  result.rank = reader.Integer("rank");
  Assign(result.on_front, reader.Boolean("onFront"));
  return result;
}

Json EncodeChoice(const VariantChoice& choice) {
  return {{"variant", choice.variant}, {"because", choice.because}, {"close", choice.close}};
}

VariantChoice ReadChoice(JsonReader& reader) {
  return {reader.String("variant").value_or(""), reader.String("because").value_or(""),
          reader.Strings("close").value_or(std::vector<std::string>())};
}

}  // namespace

Json EncodeComparison(const VariantComparison& comparison) {
  Json json = Json::object();
  EncodeProfileRequestInto(json, comparison.request.base);
  EncodeVariantsInto(json, comparison.request);
  // Each has the server's own then.
  if (!comparison.request.base.budget_given) json["budgetSeconds"] = nullptr;
  json["id"] = comparison.id;
  json["workspace"] = comparison.workspace;
  json["state"] = Name(comparison.state);
  json["createdTime"] = FormatTimestamp(comparison.created);
  json["startedTime"] = EncodeTimestamp(comparison.started);
  json["finishedTime"] = EncodeTimestamp(comparison.finished);
  json["variants"] = Json::array();
  for (const VariantResult& result : comparison.results) {
    json["variants"].push_back(EncodeResult(result));
  }
  json["recommendation"] = comparison.choice ? EncodeChoice(*comparison.choice) : Json(nullptr);
  return json;
}

Result<VariantComparison> DecodeComparison(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  VariantComparison comparison;
  reader.Require("id");
  Assign(comparison.id, reader.String("id"));
  Assign(comparison.workspace, reader.String("workspace"));
  const auto state = ParseComparisonState(reader.String("state").value_or(""));
  if (!state) reader.Problem("state", "must be the state of a comparison");
  Assign(comparison.state, state);
  Assign(comparison.created, ReadTimestamp(reader, "createdTime"));
  comparison.started = ReadTimestamp(reader, "startedTime");
  comparison.finished = ReadTimestamp(reader, "finishedTime");
  comparison.request.base = ReadProfileRequest(reader);
  comparison.request.base.budget_given = reader.Find("budgetSeconds", Null::kAbsent) != nullptr;
  ReadVariants(reader, SourceRule::kLocalFile, comparison.request);
  std::size_t index = 0;
  for (JsonReader& item : reader.Objects("variants")) {
    comparison.results.push_back(ReadResult(item, comparison.request.variants[index++]));
  }
  if (auto choice = reader.Object("recommendation")) comparison.choice = ReadChoice(*choice);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return comparison;
}

}  // namespace mlprof
