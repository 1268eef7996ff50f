#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/profile_request_json.h"
#include "common/json/timestamp_json.h"

namespace mlprof {
namespace {

template <class T, class Decode>
Status DecodeMember(const Json& json, const char* key, std::optional<T>& into, Decode decode) {
  const auto it = json.find(key);
  if (it == json.end() || it->is_null()) return {};
  auto value = decode(*it);
  if (!value) return Fail(value.error().WithContext(key));
  into = std::move(*value);
  return {};
}

Status DecodeParts(const Json& json, Profile& profile) {
  std::optional<Progress> progress;
  MLPROF_TRY(DecodeMember(json, "progress", progress, DecodeProgress));
  Assign(profile.progress, progress);
  MLPROF_TRY(DecodeMember(json, "recommendation", profile.recommendation, DecodeRecommendation));
  MLPROF_TRY(DecodeMember(json, "measurements", profile.measurements, DecodeMeasurements));
  std::optional<Findings> findings;
  MLPROF_TRY(DecodeMember(json, "findings", findings, DecodeFindings));
  Assign(profile.findings, findings);
  std::optional<std::vector<Warning>> warnings;
  MLPROF_TRY(DecodeMember(json, "warnings", warnings, DecodeWarnings));
  Assign(profile.warnings, warnings);
  MLPROF_TRY(DecodeMember(json, "error", profile.error, DecodeProfileError));
  return DecodeMember(json, "host", profile.host, DecodeHostFacts);
}

}  // namespace

Json EncodeProfile(const Profile& profile) {
  Json json = {{"id", profile.id},
               {"workspace", profile.workspace},
               {"state", Name(profile.state)},
               {"progress", EncodeProgress(profile.progress)},
               {"createdTime", FormatTimestamp(profile.created)},
               {"startedTime", EncodeTimestamp(profile.started)},
               {"finishedTime", EncodeTimestamp(profile.finished)},
               {"recommendation", nullptr},
               {"measurements", nullptr},
               {"findings", EncodeFindings(profile.findings)},
               {"warnings", EncodeWarnings(profile.warnings)},
               {"error", nullptr},
               {"host", nullptr}};
  EncodeProfileRequestInto(json, profile.request);
  if (profile.recommendation) {
    json["recommendation"] = EncodeRecommendation(*profile.recommendation);
  }
  if (profile.measurements) json["measurements"] = EncodeMeasurements(*profile.measurements);
  if (profile.error) json["error"] = EncodeProfileError(*profile.error);
  if (profile.host) json["host"] = EncodeHostFacts(*profile.host);
  return json;
}

Result<Profile> DecodeProfile(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Profile profile;
  reader.Require("id");
  Assign(profile.id, reader.String("id"));
  Assign(profile.workspace, reader.String("workspace"));
  const auto state = ParseProfileState(reader.String("state").value_or(""));
  if (!state) reader.Problem("state", "must be the state of a profile");
  Assign(profile.state, state);
  Assign(profile.created, ReadTimestamp(reader, "createdTime"));
  profile.started = ReadTimestamp(reader, "startedTime");
  profile.finished = ReadTimestamp(reader, "finishedTime");
  profile.request = ReadProfileRequest(reader);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  MLPROF_TRY(DecodeParts(json, profile));
  return profile;
}

}  // namespace mlprof
