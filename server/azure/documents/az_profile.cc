#include "server/azure/documents/az_profile.h"

#include "common/domain/azure_names.h"
#include "common/text/percent.h"
#include "server/azure/documents/profile_error.h"
#include "server/azure/documents/profile_json.h"

namespace mlprof::server {
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
