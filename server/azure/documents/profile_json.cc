#include "server/azure/documents/profile_json.h"

#include <algorithm>
#include <cmath>

#include "common/domain/azure_names.h"
#include "common/json/field_checks.h"
#include "common/json/json_reader.h"
#include "common/json/scalar_json.h"
#include "common/text/percent.h"
#include "server/azure/documents/profile_error.h"

namespace mlprof::server {
namespace {

constexpr double kMostCores = 100'000;
constexpr double kMostGib = 1'048'576;

void CheckText(JsonReader& reader, const char* key, const std::string& text, TextCheck check) {
  if (std::string problem = check(text); !problem.empty()) reader.Problem(key, std::move(problem));
}

// Down to the grid of limits, so that the answer stays within what was asked.
Cores OnGrid(double cores) { return std::max(kCpuQuantum, Cores(cores).RoundDownToGrid()); }

void ReadResources(JsonReader& reader, AzureProfileRequest& wanted) {
  wanted.asked = Json::object();
  auto resources = reader.Object("containerResourceRequirements");
  if (!resources) return;
  if (const auto cpu = resources->Number("cpu")) {
    if (*cpu < 0.1 || *cpu > kMostCores) resources->Problem("cpu", "must be 0.1 or more");
    wanted.request.ceiling.cpu = OnGrid(std::clamp(*cpu, 0.1, kMostCores));
    wanted.asked["cpu"] = *cpu;
  }
  if (const auto gib = resources->Number("memoryInGB")) {
    if (*gib < 0.03125 || *gib > kMostGib) {
      resources->Problem("memoryInGB", "must be 0.03125 or more");
    }
    wanted.request.ceiling.memory = BytesFromGib(std::clamp(*gib, 0.03125, kMostGib));
    wanted.asked["memoryInGB"] = *gib;
  }
}

const char* OperationState(ProfileState state) {
  switch (state) {
    case ProfileState::kQueued: return "NotStarted";
    case ProfileState::kSucceeded: return "Succeeded";
    case ProfileState::kFailed: return "Failed";
    case ProfileState::kCanceled: return "Cancelled";
    case ProfileState::kTimedOut: return "TimedOut";
    default: return "Running";
  }
}

// These clients tell the reason only of a failed profile: so one that timed out is given as failed.
const char* StateOf(ProfileState state) {
  return state == ProfileState::kTimedOut ? "Failed" : OperationState(state);
}

// What the caller asked for; where it asked for nothing, the answer.
Json Requested(const Profile& profile, const Json& asked) {
  Json requested = {{"cpu", nullptr}, {"memoryInGB", nullptr}};
  if (profile.recommendation) {
    requested["cpu"] = profile.recommendation->requested.cpu().value();
    requested["memoryInGB"] = profile.recommendation->requested.memory().gib();
  }
  for (const char* key : {"cpu", "memoryInGB"}) {
    if (asked.is_object() && asked.contains(key)) requested[key] = asked[key];
  }
  const bool none = requested["cpu"].is_null() && requested["memoryInGB"].is_null();
  return none ? Json(nullptr) : requested;
}

Json Gib(const std::optional<Bytes>& size) { return size ? Json(size->gib()) : Json(nullptr); }

void AddMeasured(const Profile& profile, Json& json) {
  if (profile.recommendation) {
    json["recommendedCpu"] = profile.recommendation->requested.cpu().value();
    json["recommendedMemoryInGB"] = profile.recommendation->requested.memory().gib();
  }
  if (!profile.measurements) return;
  const Measurements& m = *profile.measurements;
  json["maxUtilizedCpu"] = Figure(m.max_utilized_cpu);
  json["maxUtilizedMemoryInGB"] = Gib(m.max_utilized_memory);
  json["totalQueries"] = m.total_queries;
  json["successQueries"] = m.success_queries;
  if (m.total_queries > 0) {
    json["successRate"] =
        100.0 * static_cast<double>(m.success_queries) / static_cast<double>(m.total_queries);
  }
  json["averageLatencyInMs"] = Figure(m.average_latency_ms);
  json["latencyPercentile50InMs"] = Figure(m.latency_p50_ms);
  json["latencyPercentile90InMs"] = Figure(m.latency_p90_ms);
  json["latencyPercentile95InMs"] = Figure(m.latency_p95_ms);
  json["latencyPercentile99InMs"] = Figure(m.latency_p99_ms);
  json["latencyPercentile999InMs"] = Figure(m.latency_p999_ms);
  json["measuredQueriesPerSecond"] = Figure(m.queries_per_second);
}

Json EmptyProfile() {
  Json json = Json::object();
  for (const char* key :
       {"maxUtilizedCpu", "maxUtilizedMemoryInGB", "totalQueries", "successQueries", "successRate",
        "averageLatencyInMs", "latencyPercentile50InMs", "latencyPercentile90InMs",
        "latencyPercentile95InMs", "latencyPercentile99InMs", "latencyPercentile999InMs",
        "measuredQueriesPerSecond", "recommendedCpu", "recommendedMemoryInGB", "environment",
        "errorLogsUri"}) {
    json[key] = nullptr;
  }
  return json;
}

}  // namespace

Result<AzureProfileRequest> DecodeAzureProfile(const Json& json) {
  std::vector<FieldError> problems;
  AzureProfileRequest wanted;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  wanted.request.name = reader.String("name").value_or("");
  CheckText(reader, "name", wanted.request.name, CheckName);
  wanted.request.description = reader.String("description").value_or("");
  CheckText(reader, "description", wanted.request.description, CheckDescription);
  wanted.request.input_dataset_id = reader.String("inputDatasetId").value_or("");
  CheckText(reader, "inputDatasetId", wanted.request.input_dataset_id, CheckId);
  ReadResources(reader, wanted);
  const Json* image = reader.Find("environmentImageRequest");
  auto decoded = DecodeImageRequest(image ? *image : Json::object());
  if (!decoded) {
    problems.insert(problems.end(), decoded.error().fields().begin(),
                    decoded.error().fields().end());
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  wanted.image = std::move(*decoded);
  wanted.request.model_ids = wanted.image.model_ids;
  return wanted;
}

Json EncodeAzureProfile(const Profile& profile, const AzureProfileFacts& facts) {
  Json json = EmptyProfile();
  json["id"] = profile.id;
  json["name"] = profile.request.name;
  json["description"] =
      profile.request.description.empty() ? Json(nullptr) : Json(profile.request.description);
  json["createdTime"] = FormatTimestamp(profile.created);
  json["state"] = StateOf(profile.state);
  json["inputDatasetId"] = facts.dataset_id;
  json["modelIds"] = profile.request.model_ids;
  json["containerResourceRequirements"] = Requested(profile, facts.asked);
  json["requestedQueriesPerSecond"] = profile.request.objective.requests_per_second.value_or(0);
  AddMeasured(profile, json);
  json["error"] = SdkProfileError(profile);
  if (StateOf(profile.state) == std::string_view("Failed")) json["errorLogsUri"] = facts.logs_url;
  Json warnings = Json::array();
  for (const Warning& warning : profile.warnings) {
    warnings.push_back(
        {{"code", warning.code}, {"message", warning.message}, {"advice", warning.advice}});
  }
  json["warnings"] = std::move(warnings);
  return json;
}

Json EncodeAzureOperation(const Profile& profile, const std::string& profile_url) {
  const bool failed =
      profile.state == ProfileState::kFailed || profile.state == ProfileState::kTimedOut;
  return {{"id", profile.id},
          {"operationType", "Profile"},
          {"state", OperationState(profile.state)},
          {"parentRequestId", profile.id},
          {"createdTime", FormatTimestamp(profile.created)},
          {"endTime", profile.finished ? Json(FormatTimestamp(*profile.finished)) : Json(nullptr)},
          {"error", failed ? SdkProfileFailure(profile) : Json(nullptr)},
          {"resourceLocation", profile_url}};
}

namespace {

Json AskedOf(const Ceiling& ceiling) {
  Json asked = Json::object();
  if (ceiling.cpu) asked["cpu"] = ceiling.cpu->value();
  if (ceiling.memory) asked["memoryInGB"] = ceiling.memory->gib();
  return asked;
}

Json LogsPath(const Profile& profile) {
  if (!IsFinished(profile.state) || profile.state == ProfileState::kSucceeded) return nullptr;
  return "/profiles/" + PercentEncode(profile.id) +
         "/logs?workspace=" + PercentEncode(profile.workspace);
}

}  // namespace

Json EncodeAzProfile(const Profile& profile, const Json& asked) {
  Json json = EncodeAzureProfile(profile, {asked.is_null() ? AskedOf(profile.asked_ceiling) : asked,
                                           profile.request.input_dataset_id, ""});
  const Json requested = json["containerResourceRequirements"];
  json["requestedCpu"] = requested.is_null() ? Json() : requested.at("cpu");
  json["requestedMemoryInGB"] = requested.is_null() ? Json() : requested.at("memoryInGB");
  json.erase("containerResourceRequirements");
  json.erase("warnings");
  json["description"] = profile.request.description;
  json["createdTime"] = AzTime(profile.created);
  json["error"] = AzProfileError(profile);
  json["errorLogsUri"] = LogsPath(profile);
  return json;
}

}  // namespace mlprof::server
