#include "common/json/allocation_failure_json.h"
#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/no_answer_json.h"
#include "common/json/profile_capture_json.h"
#include "common/json/profile_request_json.h"
#include "common/json/scalar_json.h"

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
  MLPROF_TRY(DecodeMember(json, "noAnswer", profile.no_answer, DecodeNoAnswer));
  MLPROF_TRY(DecodeMember(json, "measurements", profile.measurements, DecodeMeasurements));
  std::optional<Findings> findings;
  MLPROF_TRY(DecodeMember(json, "findings", findings, DecodeFindings));
  Assign(profile.findings, findings);
  std::optional<std::vector<ProfileCapture>> captures;
  MLPROF_TRY(DecodeMember(json, "captures", captures, DecodeProfileCaptures));
  Assign(profile.captures, captures);
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
               {"noAnswer", nullptr},
               {"measurements", nullptr},
               {"findings", EncodeFindings(profile.findings)},
               {"captures", EncodeProfileCaptures(profile.captures)},
               {"warnings", EncodeWarnings(profile.warnings)},
               {"error", nullptr},
               {"host", nullptr}};
  EncodeProfileRequestInto(json, profile.request);
  if (profile.recommendation) {
    json["recommendation"] = EncodeRecommendation(*profile.recommendation);
  }
  if (profile.no_answer) json["noAnswer"] = EncodeNoAnswer(*profile.no_answer);
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

Json EncodeProgress(const Progress& progress) {
  return {{"phase", progress.phase},
          {"fraction", progress.fraction},
          {"message", progress.message},
          {"secondsLeft", progress.seconds_left ? Json(*progress.seconds_left) : Json(nullptr)}};
}

Result<Progress> DecodeProgress(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Progress progress;
  Assign(progress.phase, reader.String("phase"));
  Assign(progress.fraction, reader.Number("fraction"));
  Assign(progress.message, reader.String("message"));
  progress.seconds_left = reader.Number("secondsLeft");
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return progress;
}

Json EncodeWarnings(const std::vector<Warning>& warnings) {
  Json json = Json::array();
  for (const Warning& warning : warnings) {
    json.push_back(
        {{"code", warning.code}, {"message", warning.message}, {"advice", warning.advice}});
  }
  return json;
}

Result<std::vector<Warning>> DecodeWarnings(const Json& json) {
  if (!json.is_array()) return Fail(InvalidArgument("warnings must be an array"));
  std::vector<FieldError> problems;
  std::vector<Warning> warnings;
  for (const Json& item : json) {
    JsonReader reader(item, JoinPointer("", warnings.size()), JsonReader::Mode::kResource,
                      problems);
    warnings.push_back({reader.String("code").value_or(""), reader.String("message").value_or(""),
                        reader.String("advice").value_or("")});
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return warnings;
}

Json EncodeProfileError(const ProfileError& error) {
  Json json = {{"code", error.code},
               {"message", error.message},
               {"advice", error.advice},
               {"evidence", error.evidence}};
  if (error.allocation) json["allocation"] = EncodeAllocationFailure(*error.allocation);
  return json;
}

Result<ProfileError> DecodeProfileError(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  ProfileError error;
  Assign(error.code, reader.String("code"));
  Assign(error.message, reader.String("message"));
  Assign(error.advice, reader.Strings("advice"));
  Assign(error.evidence, reader.String("evidence"));
  if (auto allocation = reader.Object("allocation")) {
    error.allocation = ReadAllocationFailure(*allocation);
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return error;
}

Json EncodeHostFacts(const HostFacts& host) {
  Json json = {{"cpuModel", host.cpu_model},
               {"cores", host.cores},
               {"memoryInBytes", host.memory.count()},
               {"cgroup", nullptr},
               {"noise", nullptr}};
  if (host.cgroup_version != 0) json["cgroup"] = "v" + std::to_string(host.cgroup_version);
  if (!host.noise.empty()) json["noise"] = host.noise;
  return json;
}

Result<HostFacts> DecodeHostFacts(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  HostFacts host;
  Assign(host.cpu_model, reader.String("cpuModel"));
  Assign(host.cores, reader.Integer("cores"));
  host.memory = Bytes(reader.BigInteger("memoryInBytes").value_or(0));
  const std::string cgroup = reader.String("cgroup").value_or("");
  if (cgroup == "v1") host.cgroup_version = 1;
  if (cgroup == "v2") host.cgroup_version = 2;
  Assign(host.noise, reader.String("noise"));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return host;
}

}  // namespace mlprof
