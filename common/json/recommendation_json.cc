#include "common/json/cpu_point_json.h"
#include "common/json/device_findings_json.h"
#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/limits_json.h"
#include "common/json/settings_json.h"

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

// CPU in cores, memory in GiB, of each device where there are some.
Json EncodeAmount(const Amount& amount) {
  switch (amount.kind()) {
    case ResourceKind::kCpu: return amount.cores().value();
    case ResourceKind::kMemory:
    case ResourceKind::kDeviceMemory: return amount.bytes().gib();
  }
  return nullptr;
}

// The other way, of the resource that `like` is an amount of.
Amount ReadAmount(JsonReader& reader, const char* key, const Amount& like) {
  const double figure = reader.Number(key).value_or(0);
  switch (like.kind()) {
    case ResourceKind::kCpu: return Cores(figure);
    case ResourceKind::kMemory:
    case ResourceKind::kDeviceMemory: break;
  }
  return like.WithUnits(BytesFromGib(figure).count());
}

Json EncodeBound(const Bound& bound) {
  Json json = {{"low", EncodeAmount(bound.low)},
               {"high", EncodeAmount(bound.high)},
               {"reason", bound.reason},
               {"confidence", NameOf(bound.confidence)},
               {"atFloor", bound.at_floor}};
  if (bound.low_failed) json["lowFailed"] = true;
  if (bound.tight) json["tight"] = *bound.tight;
  if (!bound.because.empty()) json["because"] = bound.because;
  return json;
}

Bound ReadBound(JsonReader& reader, const Amount& requested) {
  Bound bound{ReadAmount(reader, "low", requested), ReadAmount(reader, "high", requested),
              reader.String("reason").value_or(""),
              ParseConfidence(reader.String("confidence").value_or(""))};
  bound.at_floor = reader.Boolean("atFloor").value_or(false);
  bound.low_failed = reader.Boolean("lowFailed").value_or(false);
  bound.tight = reader.Boolean("tight");
  bound.because = reader.String("because").value_or("");
  return bound;
}

void EncodeBounds(const Recommendation& recommendation, Json& json) {
  for (const ResourceKind kind : kResources) {
    const Bound* bound = recommendation.bounds.Find(kind);
    json[RulesOf(kind).key] = bound != nullptr ? EncodeBound(*bound) : Json(nullptr);
  }
  // CPU and memory that are requested stand beside the bounds, under names of their own.
  if (const auto device = recommendation.requested.device_memory()) {
    Json& json_device = json[RulesOf(ResourceKind::kDeviceMemory).key];
    json_device.update(EncodeDeviceMemory(*device));
    if (recommendation.device) json_device.update(EncodeDeviceFindings(*recommendation.device));
  }
}

void ReadBounds(JsonReader& reader, Recommendation& recommendation) {
  for (const ResourceKind kind : kResources) {
    auto part = reader.Object(RulesOf(kind).key);
    if (!part) continue;
    if (kind == ResourceKind::kDeviceMemory) {
      recommendation.requested.Set(ReadDeviceMemory(*part));
      recommendation.device = ReadDeviceFindings(*part);
    }
    const auto requested = recommendation.requested.Find(kind);
    if (part->Has("low")) recommendation.Set(ReadBound(*part, *requested));
  }
}

Json EncodeStart(const StartFigures& start) {
  Json json = {
      {"seconds", nullptr},
      {"cpuSeconds", nullptr},
      {"atCeiling",
       {{"seconds", start.at_ceiling.seconds}, {"cpuSeconds", start.at_ceiling.cpu_seconds}}},
      {"startupCpu", start.startup_cpu.value()}};
  if (start.at_limits) {
    json["seconds"] = start.at_limits->seconds;
    json["cpuSeconds"] = start.at_limits->cpu_seconds;
  }
  return json;
}

StartTime ReadStartTime(JsonReader& reader) {
  return {reader.Number("seconds").value_or(0), reader.Number("cpuSeconds").value_or(0)};
}

std::optional<StartFigures> ReadStart(JsonReader& reader) {
  auto part = reader.Object("start");
  if (!part) return std::nullopt;
  StartFigures start;
  if (part->Number("seconds")) start.at_limits = ReadStartTime(*part);
  if (auto ceiling = part->Object("atCeiling")) start.at_ceiling = ReadStartTime(*ceiling);
  start.startup_cpu = Cores(part->Number("startupCpu").value_or(0));
  return start;
}

Json EncodeWorkers(const ServingWorkers& workers) {
  const auto& each = workers.per_worker_memory;
  return {{"count", workers.count},
          {"perWorkerMemoryInBytes", each ? Json(each->count()) : Json(nullptr)},
          {"reached", workers.reached}};
}

ServingWorkers ReadWorkers(JsonReader& reader) {
  ServingWorkers workers;
  Assign(workers.count, reader.Integer("count"));
  if (const auto each = reader.BigInteger("perWorkerMemoryInBytes")) {
    workers.per_worker_memory = Bytes(*each);
  }
  Assign(workers.reached, reader.Integer("reached"));
  return workers;
}

void EncodeSettings(const Recommendation& recommendation, Json& json) {
  if (const auto& pod = recommendation.kubernetes) json["kubernetes"] = EncodePodResources(*pod);
  if (const auto& rare = recommendation.rare_events) json["rareEvents"] = EncodeRareEvents(*rare);
  if (recommendation.curve.empty()) return;
  Json curve = Json::array();
  for (const CpuPoint& point : recommendation.curve) curve.push_back(EncodeCpuPoint(point));
  json["curve"] = std::move(curve);
}

void ReadSettings(JsonReader& reader, Recommendation& recommendation) {
  if (auto pod = reader.Object("kubernetes")) recommendation.kubernetes = ReadPodResources(*pod);
  if (auto rare = reader.Object("rareEvents")) recommendation.rare_events = ReadRareEvents(*rare);
  if (!reader.Has("curve")) return;
  for (JsonReader& point : reader.Objects("curve")) {
    recommendation.curve.push_back(ReadCpuPoint(point));
  }
}

}  // namespace

Json EncodeRecommendation(const Recommendation& recommendation) {
  const Limits& requested = recommendation.requested;
  Json json = {
      {"requestedCpu", requested.cpu().value()},
      {"requestedMemoryInGb", requested.memory().gib()},
      {"requestedMemoryInBytes", requested.memory().count()},
      {"verified", recommendation.verified},
      {"tight", nullptr},
      {"confidence", NameOf(recommendation.confidence)},
      {"environmentVariables", recommendation.environment_variables},
      {"maxConcurrency", nullptr},
      {"maxRequestsPerSecond", nullptr},
      {"tags", RecommendationTags(recommendation)},
  };
  EncodeBounds(recommendation, json);
  if (recommendation.tight) json["tight"] = *recommendation.tight;
  if (recommendation.max_concurrency) json["maxConcurrency"] = *recommendation.max_concurrency;
  if (recommendation.max_requests_per_second) {
    json["maxRequestsPerSecond"] = *recommendation.max_requests_per_second;
  }
  if (recommendation.start) json["start"] = EncodeStart(*recommendation.start);
  if (recommendation.workers) json["workers"] = EncodeWorkers(*recommendation.workers);
  EncodeSettings(recommendation, json);
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
  recommendation.start = ReadStart(reader);
  if (auto workers = reader.Object("workers")) recommendation.workers = ReadWorkers(*workers);
  ReadSettings(reader, recommendation);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return recommendation;
}

}  // namespace mlprof
