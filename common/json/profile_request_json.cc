#include "common/json/profile_request_json.h"

#include <cmath>

#include "common/domain/limits.h"
#include "common/json/domain_json.h"
#include "common/json/inference_config_json.h"
#include "common/json/objective_json.h"

namespace mlprof {
namespace {

// No container runs with less, and no answer lies below.
constexpr double kLeastCores = kSmallestLimits.cpu().value();
constexpr double kLeastGib = kSmallestLimits.memory().gib();
// Beyond any machine: they keep a slip from becoming a number that overflows.
constexpr double kMostCores = 100'000;
constexpr double kMostGib = 1'048'576;  // 1 PiB
constexpr int kLongestBudget = 86'400;  // seconds; a day
constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;

bool OnGrid(double cores) {
  const double tenths = cores * 10;
  return std::abs(tenths - std::round(tenths)) < 1e-6;
}

void ReadCeiling(JsonReader& reader, Ceiling& ceiling) {
  const auto cpu = reader.Number("cpu", {kLeastCores, kMostCores}, Null::kAbsent);
  if (cpu && !OnGrid(*cpu) && reader.mode() == JsonReader::Mode::kRequest) {
    reader.Problem("cpu", "must be a multiple of 0.1");
  } else if (cpu) {
    ceiling.cpu = Cores(*cpu);
  }
  if (const auto gib = reader.Number("memoryInGb", {kLeastGib, kMostGib}, Null::kAbsent)) {
    ceiling.memory = Bytes(static_cast<std::int64_t>(std::ceil(*gib * kBytesPerGib)));
  }
  reader.RefuseUnknown();
}

void ReadAccelerator(JsonReader& reader, Accelerator& accelerator) {
  const std::string type = reader.String("type").value_or("none");
  if (type == "gpu") {
    accelerator.type = AcceleratorType::kGpu;
  } else if (type == "tpu") {
    accelerator.type = AcceleratorType::kTpu;
  } else if (type != "none") {
    reader.Problem("type", "must be none, gpu or tpu");
  }
  const bool none = accelerator.type == AcceleratorType::kNone;
  accelerator.count = reader.Integer("count", {0, 1024}).value_or(none ? 0 : 1);
  if (type == "none" && accelerator.count > 0) {
    reader.Problem("count", "must be 0 where type is none");
  }
  reader.RefuseUnknown();
}

void ReadModelIds(JsonReader& reader, ProfileRequest& request) {
  reader.Require("modelIds");
  const auto ids = reader.Strings("modelIds", CheckId);
  if (!ids) return;
  request.model_ids = *ids;
  if (reader.mode() == JsonReader::Mode::kResource) return;
  if (ids->empty()) reader.Problem("modelIds", "must name at least one model");
  if (ids->size() > 100) reader.Problem("modelIds", "must name at most 100 models");
}

void ReadInferenceConfigMember(JsonReader& reader, ProfileRequest& request) {
  if (MeansAbsentConfig(reader.Find("inferenceConfig", Null::kAbsent))) return;
  if (auto config = reader.Object("inferenceConfig")) {
    request.inference_config = ReadInferenceConfig(
        *config, reader.mode() == JsonReader::Mode::kRequest ? SourceRule::kNeedsSourceId
                                                             : SourceRule::kLocalFile);
  }
}

void ReadRuntime(JsonReader& reader, ProfileRequest& request) {
  Assign(request.runtime, reader.String("runtime"));
  const std::string& runtime = request.runtime;
  const bool known =
      runtime.empty() || runtime == "docker" || runtime == "kubernetes" || runtime == "process";
  if (!known && reader.mode() == JsonReader::Mode::kRequest) {
    reader.Problem("runtime", "must be docker, kubernetes or process");
  }
}

Json EncodeCeiling(const Ceiling& ceiling) {
  Json json = {{"cpu", nullptr}, {"memoryInGb", nullptr}};
  if (ceiling.cpu) json["cpu"] = ceiling.cpu->value();
  if (ceiling.memory) json["memoryInGb"] = ceiling.memory->gib();
  return json;
}

Json EncodeAccelerator(const Accelerator& accelerator) {
  const char* type = "none";
  if (accelerator.type == AcceleratorType::kGpu) type = "gpu";
  if (accelerator.type == AcceleratorType::kTpu) type = "tpu";
  return {{"type", type}, {"count", accelerator.count}};
}

}  // namespace

ProfileRequest ReadProfileRequest(JsonReader& reader) {
  ProfileRequest request;
  Assign(request.name, reader.String("name", CheckName));
  Assign(request.description, reader.String("description", CheckDescription));
  ReadModelIds(reader, request);
  reader.Require("inputDatasetId");
  Assign(request.input_dataset_id, reader.String("inputDatasetId", CheckId));
  ReadInferenceConfigMember(reader, request);
  if (auto ceiling = reader.Object("containerResourceRequirements", Null::kAbsent)) {
    ReadCeiling(*ceiling, request.ceiling);
  }
  if (auto objective = reader.Object("objective", Null::kAbsent)) {
    request.objective = ReadObjective(*objective);
  }
  if (auto accelerator = reader.Object("accelerator", Null::kAbsent)) {
    ReadAccelerator(*accelerator, request.accelerator);
  }
  ReadRuntime(reader, request);
  if (const auto seconds = reader.Integer("budgetSeconds", {1, kLongestBudget})) {
    request.budget = std::chrono::seconds(*seconds);
    // A resource always has one; whose it was the server keeps beside it.
    request.budget_given = reader.mode() == JsonReader::Mode::kRequest;
  }
  if (const auto seed = reader.BigInteger("seed", {0})) {
    request.seed = static_cast<std::uint64_t>(*seed);
  }
  if (const auto seconds =
          reader.Integer("soakSeconds", {0, static_cast<int>(kLongestSoak.count())})) {
    request.soak = std::chrono::seconds(*seconds);
  }
  Assign(request.when_quiet, reader.Boolean("whenQuiet"));
  return request;
}

ProfileRequest DecodeProfileRequest(const Json& json, std::vector<FieldError>& problems) {
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  ProfileRequest request = ReadProfileRequest(reader);
  reader.RefuseUnknown();
  return request;
}

void EncodeProfileRequestInto(Json& json, const ProfileRequest& request) {
  json["name"] = request.name;
  json["description"] = request.description;
  json["modelIds"] = request.model_ids;
  json["inputDatasetId"] = request.input_dataset_id;
  json["inferenceConfig"] =
      request.inference_config ? EncodeInferenceConfig(*request.inference_config) : Json(nullptr);
  json["containerResourceRequirements"] = EncodeCeiling(request.ceiling);
  json["objective"] = EncodeObjective(request.objective);
  json["accelerator"] = EncodeAccelerator(request.accelerator);
  json["runtime"] = request.runtime;
  json["budgetSeconds"] = request.budget.count();
  json["seed"] = request.seed;
  json["soakSeconds"] = request.soak.count();
  json["whenQuiet"] = request.when_quiet;
}

}  // namespace mlprof
