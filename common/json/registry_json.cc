#include "common/json/domain_json.h"
#include "common/json/inference_config_json.h"
#include "common/json/json_reader.h"
#include "common/json/scalar_json.h"

namespace mlprof {

Json EncodeModel(const Model& model) {
  return {
      {"id", model.id},
      {"name", model.name},
      {"version", model.version},
      {"description", model.description},
      {"tags", model.tags},
      {"properties", model.properties},
      {"sizeInBytes", model.size.count()},
      {"sha256", model.sha256},
      {"createdTime", FormatTimestamp(model.created)},
      {"inferenceConfig",
       model.inference_config ? EncodeInferenceConfig(*model.inference_config) : Json(nullptr)}};
}

Result<Model> DecodeModel(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Model model;
  reader.Require("id");
  Assign(model.id, reader.String("id"));
  Assign(model.name, reader.String("name"));
  Assign(model.version, reader.Integer("version"));
  Assign(model.description, reader.String("description"));
  Assign(model.tags, reader.StringMap("tags"));
  Assign(model.properties, reader.StringMap("properties"));
  model.size = Bytes(reader.BigInteger("sizeInBytes").value_or(0));
  Assign(model.sha256, reader.String("sha256"));
  Assign(model.created, ReadTimestamp(reader, "createdTime"));
  if (auto config = reader.Object("inferenceConfig")) {
    model.inference_config = ReadInferenceConfig(*config, SourceRule::kLocalFile);
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return model;
}

Json EncodeDataset(const Dataset& dataset) {
  return {{"id", dataset.id},
          {"name", dataset.name},
          {"version", dataset.version},
          {"description", dataset.description},
          {"rowCount", dataset.row_count},
          {"distinctRowCount", dataset.distinct_row_count},
          {"sizeInBytes", dataset.size.count()},
          {"createdTime", FormatTimestamp(dataset.created)},
          {"warnings", EncodeWarnings(dataset.warnings)}};
}

Result<Dataset> DecodeDataset(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Dataset dataset;
  reader.Require("id");
  Assign(dataset.id, reader.String("id"));
  Assign(dataset.name, reader.String("name"));
  Assign(dataset.version, reader.Integer("version"));
  Assign(dataset.description, reader.String("description"));
  Assign(dataset.row_count, reader.BigInteger("rowCount"));
  Assign(dataset.distinct_row_count, reader.BigInteger("distinctRowCount"));
  dataset.size = Bytes(reader.BigInteger("sizeInBytes").value_or(0));
  Assign(dataset.created, ReadTimestamp(reader, "createdTime"));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  // An older server says nothing of them.
  if (const Json* warnings = reader.Find("warnings", Null::kAbsent)) {
    MLPROF_LET(decoded, DecodeWarnings(*warnings));
    dataset.warnings = std::move(decoded);
  }
  return dataset;
}

}  // namespace mlprof
