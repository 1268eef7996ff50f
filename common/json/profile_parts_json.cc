#include "common/json/domain_json.h"
#include "common/json/json_reader.h"

namespace mlprof {

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
  return {{"code", error.code},
          {"message", error.message},
          {"advice", error.advice},
          {"evidence", error.evidence}};
}

Result<ProfileError> DecodeProfileError(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  ProfileError error;
  Assign(error.code, reader.String("code"));
  Assign(error.message, reader.String("message"));
  Assign(error.advice, reader.Strings("advice"));
  Assign(error.evidence, reader.String("evidence"));
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
