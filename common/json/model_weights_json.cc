#include "common/json/model_weights_json.h"

#include "common/json/json_reader.h"

namespace mlprof {
namespace {

Json EncodeByType(const std::vector<TypedParameters>& by_type) {
  Json list = Json::array();
  for (const TypedParameters& typed : by_type) {
    list.push_back({{"type", typed.type},
                    {"parameters", typed.parameters},
                    {"sizeInBytes", typed.bytes.count()}});
  }
  return list;
}

Json OrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json OrNull(const std::optional<Bytes>& bytes) {
  return bytes ? Json(bytes->count()) : Json(nullptr);
}

Json EncodeFile(const WeightsFile& file) {
  return {{"path", file.path},
          {"sizeInBytes", file.size.count()},
          {"format", Name(file.format)},
          {"tensors", file.tensors},
          {"parameters", Parameters(file.by_type)},
          {"byType", EncodeByType(file.by_type)},
          {"trainingInBytes", OrNull(file.training)},
          {"object", OrNull(file.object)},
          {"problem", OrNull(file.problem)},
          {"leftOut", OrNull(file.left_out)}};
}

Bytes SizeOf(JsonReader& reader, const char* key = "sizeInBytes") {
  return Bytes(reader.BigInteger(key).value_or(0));
}

std::vector<TypedParameters> ReadByType(JsonReader& reader) {
  std::vector<TypedParameters> by_type;
  for (JsonReader& item : reader.Objects("byType")) {
    by_type.push_back({item.String("type").value_or(""), item.BigInteger("parameters").value_or(0),
                       SizeOf(item)});
  }
  return by_type;
}

WeightsFile ReadFile(JsonReader& reader) {
  WeightsFile file;
  Assign(file.path, reader.String("path"));
  file.size = SizeOf(reader);
  Assign(file.format, ParseWeightsFormat(reader.String("format").value_or("")));
  Assign(file.tensors, reader.BigInteger("tensors"));
  file.by_type = ReadByType(reader);
  if (const auto training = reader.BigInteger("trainingInBytes")) file.training = Bytes(*training);
  Assign(file.object, reader.String("object"));
  Assign(file.problem, reader.String("problem"));
  Assign(file.left_out, reader.String("leftOut"));
  return file;
}

}  // namespace

Json EncodeModelWeights(const ModelWeights& weights) {
  Json json = {{"files", Json::array()},
               {"more", weights.more},
               {"parameters", weights.parameters},
               {"byType", EncodeByType(weights.by_type)},
               {"leastMemoryInBytes", OrNull(weights.least_memory)},
               {"inSmallerTypes", Json::array()}};
  for (const WeightsFile& file : weights.files) json["files"].push_back(EncodeFile(file));
  for (const InSmallerType& smaller : weights.in_smaller_types) {
    json["inSmallerTypes"].push_back(
        {{"type", smaller.type}, {"sizeInBytes", smaller.bytes.count()}});
  }
  return json;
}

Result<ModelWeights> DecodeModelWeights(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  ModelWeights weights;
  for (JsonReader& file : reader.Objects("files")) weights.files.push_back(ReadFile(file));
  Assign(weights.more, reader.Boolean("more"));
  Assign(weights.parameters, reader.BigInteger("parameters"));
  weights.by_type = ReadByType(reader);
  if (const auto least = reader.BigInteger("leastMemoryInBytes")) {
    weights.least_memory = Bytes(*least);
  }
  for (JsonReader& smaller : reader.Objects("inSmallerTypes")) {
    weights.in_smaller_types.push_back({smaller.String("type").value_or(""), SizeOf(smaller)});
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return weights;
}

}  // namespace mlprof
