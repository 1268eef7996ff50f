#include "common/json/domain_json.h"
#include "common/json/json_reader.h"

namespace mlprof {
namespace {

const char* NameOf(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh: return "high";
    case Confidence::kMedium: return "medium";
    case Confidence::kLow: return "low";
  }
  return "low";
}

Confidence ParseConfidence(const std::string& name) {
  if (name == "high") return Confidence::kHigh;
  return name == "medium" ? Confidence::kMedium : Confidence::kLow;
}

void ReadBounds(JsonReader& reader, Recommendation& recommendation) {
  if (auto cpu = reader.Object("cpu")) {
    recommendation.cpu = {Cores(cpu->Number("low").value_or(0)),
                          Cores(cpu->Number("high").value_or(0)),
                          cpu->String("reason").value_or(""),
                          ParseConfidence(cpu->String("confidence").value_or(""))};
  }
  if (auto memory = reader.Object("memory")) {
    recommendation.memory = {BytesFromGib(memory->Number("low").value_or(0)),
                             BytesFromGib(memory->Number("high").value_or(0)),
                             memory->String("reason").value_or(""),
                             ParseConfidence(memory->String("confidence").value_or(""))};
  }
}

}  // namespace

Json EncodeRecommendation(const Recommendation& recommendation) {
  const Limits& requested = recommendation.requested;
  Json json = {
      {"requestedCpu", requested.cpu.value()},
      {"requestedMemoryInGb", requested.memory.gib()},
      {"requestedMemoryInBytes", requested.memory.count()},
      {"verified", recommendation.verified},
      {"tight", nullptr},
      {"confidence", NameOf(recommendation.confidence)},
      {"cpu",
       {{"low", recommendation.cpu.low.value()},
        {"high", recommendation.cpu.high.value()},
        {"reason", recommendation.cpu.reason},
        {"confidence", NameOf(recommendation.cpu.confidence)}}},
      {"memory",
       {{"low", recommendation.memory.low.gib()},
        {"high", recommendation.memory.high.gib()},
        {"reason", recommendation.memory.reason},
        {"confidence", NameOf(recommendation.memory.confidence)}}},
      {"device", nullptr},
      {"environmentVariables", recommendation.environment_variables},
      {"maxConcurrency", nullptr},
      {"maxRequestsPerSecond", nullptr},
      {"tags", RecommendationTags(recommendation)},
  };
  if (recommendation.tight) json["tight"] = *recommendation.tight;
  if (recommendation.max_concurrency) json["maxConcurrency"] = *recommendation.max_concurrency;
  if (recommendation.max_requests_per_second) {
    json["maxRequestsPerSecond"] = *recommendation.max_requests_per_second;
  }
  return json;
}

Result<Recommendation> DecodeRecommendation(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Recommendation recommendation;
  reader.Require("requestedCpu");
  reader.Require("requestedMemoryInBytes");
  recommendation.requested = {Cores(reader.Number("requestedCpu").value_or(0)),
                              Bytes(reader.BigInteger("requestedMemoryInBytes").value_or(0))};
  Assign(recommendation.verified, reader.Boolean("verified"));
  recommendation.tight = reader.Boolean("tight");
  recommendation.confidence = ParseConfidence(reader.String("confidence").value_or("low"));
  ReadBounds(reader, recommendation);
  Assign(recommendation.environment_variables, reader.StringMap("environmentVariables"));
  recommendation.max_concurrency = reader.Integer("maxConcurrency");
  recommendation.max_requests_per_second = reader.Number("maxRequestsPerSecond");
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return recommendation;
}

}  // namespace mlprof
