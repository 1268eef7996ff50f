#include "client/cli/azure/azure_profile_json.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "client/cli/azure/azure_model_json.h"
#include "common/json/domain_json.h"

namespace mlprof::cli {
namespace {

constexpr std::array<std::string_view, 3> kEnvironmentDiffers = {
    "baseImageReplaced", "pythonVersionDiffers", "condaPackagesIgnored"};

const char* AzureState(ProfileState state) {
  switch (state) {
    case ProfileState::kQueued: return "NotStarted";
    case ProfileState::kPreparing:
    case ProfileState::kStarting:
    case ProfileState::kProfiling:
    case ProfileState::kVerifying: return "Running";
    case ProfileState::kSucceeded: return "Succeeded";
    case ProfileState::kCanceled: return "Cancelled";
    case ProfileState::kFailed:
    case ProfileState::kTimedOut: return "Failed";
  }
  return "Failed";
}

std::string WordsOf(ProfileState state) {
  if (state == ProfileState::kCanceled) return "the profile was cancelled";
  if (state == ProfileState::kTimedOut) return "the profile ran out of time without an answer";
  return "the profile failed";
}

Json ErrorObject(const std::string& code, const std::string& message,
                 const std::vector<std::string>& advice) {
  Json details = Json::array();
  for (const std::string& line : advice) details.push_back({{"code", "Advice"}, {"message", line}});
  return {{"code", code}, {"statusCode", 400}, {"message", message}, {"details", details}};
}

// An answer that is not proven, or not for the environment that was asked for.
Json ReservationOf(const Profile& profile) {
  const bool verified = profile.recommendation && profile.recommendation->verified;
  std::string message = verified ? "" : "the answer could not be verified in fresh containers";
  std::vector<std::string> advice;
  for (const Warning& warning : profile.warnings) {
    if (!std::ranges::count(kEnvironmentDiffers, warning.code)) continue;
    message += (message.empty() ? "" : "; ") + warning.message;
    advice.push_back(warning.advice);
  }
  if (message.empty()) return nullptr;
  return ErrorObject(verified ? "EnvironmentDiffers" : "NotVerified", message, advice);
}

Json ErrorOf(const Profile& profile) {
  if (profile.state < ProfileState::kSucceeded) return nullptr;
  if (profile.state == ProfileState::kSucceeded) return ReservationOf(profile);
  if (!profile.error)
    return ErrorObject(std::string(Name(profile.state)), WordsOf(profile.state), {});
  return ErrorObject(profile.error->code, profile.error->message, profile.error->advice);
}

void AddRequirements(const Profile& profile, const Ceiling& asked, Json& json) {
  const auto& answer = profile.recommendation;
  const Json cpu = answer ? Json(answer->requested.cpu().value()) : Json();
  const Json memory = answer ? Json(answer->requested.memory().gib()) : Json();
  json["recommendedCpu"] = cpu;
  json["recommendedMemoryInGB"] = memory;
  json["requestedCpu"] = asked.cpu ? Json(asked.cpu->value()) : cpu;
  json["requestedMemoryInGB"] = asked.memory ? Json(asked.memory->gib()) : memory;
  json["requestedQueriesPerSecond"] = profile.request.objective.requests_per_second.value_or(0);
}

void AddMeasurements(const Profile& profile, Json& json) {
  const Json measured = profile.measurements ? EncodeMeasurements(*profile.measurements) : Json();
  for (const char* key :
       {"maxUtilizedCpu", "totalQueries", "successQueries", "successRate", "averageLatencyInMs",
        "latencyPercentile50InMs", "latencyPercentile90InMs", "latencyPercentile95InMs",
        "latencyPercentile99InMs", "latencyPercentile999InMs", "measuredQueriesPerSecond"}) {
    json[key] = measured.is_object() ? measured.at(key) : Json();
  }
  json["maxUtilizedMemoryInGB"] =
      measured.is_object() ? measured.at("maxUtilizedMemoryInGb") : Json();
  // Azure counts it in percent.
  if (json["successRate"].is_number())
    json["successRate"] = json["successRate"].get<double>() * 100;
}

// Microsoft's page tags a model with "requestedMemoryInGb", a key its own client does not have.
std::string KeyOf(const std::string& name) {
  if (!name.ends_with("InGb")) return name;
  return name.substr(0, name.size() - 1) + "B";
}

}  // namespace

Json AzureProfileJson(const Profile& profile, const Ceiling& asked, const std::string& logs_uri) {
  Json json = {{"id", profile.id},
               {"name", profile.request.name},
               {"description", profile.request.description},
               {"createdTime", AzureTime(profile.created)},
               {"state", AzureState(profile.state)},
               {"inputDatasetId", profile.request.input_dataset_id},
               {"modelIds", profile.request.model_ids},
               {"environment", nullptr},
               {"error", ErrorOf(profile)},
               {"errorLogsUri", nullptr}};
  if (profile.state > ProfileState::kSucceeded && !logs_uri.empty())
    json["errorLogsUri"] = logs_uri;
  AddRequirements(profile, asked, json);
  AddMeasurements(profile, json);
  return json;
}

bool IsProfileFigure(const std::string& name) {
  const Json shape = AzureProfileJson({}, {}, "");
  return shape.contains(KeyOf(name));
}

std::string ProfileFigure(const Json& azure_profile, const std::string& name) {
  const auto found = azure_profile.find(KeyOf(name));
  if (found == azure_profile.end() || found->is_null() || found->is_structured()) return "";
  return found->is_string() ? found->get<std::string>() : DumpJson(*found);
}

}  // namespace mlprof::cli
