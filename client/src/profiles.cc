#include "client/include/mlprof/profiles.h"

#include "client/src/connection.h"
#include "client/src/profile_request_json.h"
#include "client/src/sse_parser.h"
#include "common/json/artifact_json.h"
#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/no_answer_json.h"
#include "common/json/series_json.h"

namespace mlprof::client {
namespace {

// A stream that is silent for so long is taken for dead; it is resumed where it broke.
constexpr std::chrono::seconds kEventSilence{30};

Target ProfileTarget(const std::string& name) { return Target("/profiles").Segment(name); }
Target PartOf(const std::string& name, const std::string& part) {
  return Target(ProfileTarget(name).Text() + "/" + part);
}

Json EncodeWhatIf(const WhatIf& question) {
  Json json = Json::object();
  if (question.objective) json["objective"] = ObjectiveToSend(*question.objective);
  if (question.memory_margin) json["memoryMargin"] = *question.memory_margin;
  if (question.workers) json["workers"] = *question.workers;
  return json;
}

Result<WhatIfRecommendation> DecodeWhatIf(const Json& json) {
  WhatIfRecommendation answer;
  const auto no_answer = json.find("noAnswer");
  if (no_answer != json.end() && !no_answer->is_null()) {
    MLPROF_LET(decoded, DecodeNoAnswer(*no_answer));
    answer.no_answer = std::move(decoded);
  } else {
    MLPROF_LET(recommendation, DecodeRecommendation(json));
    answer.recommendation = std::move(recommendation);
  }
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Assign(answer.within_measured, reader.Boolean("withinMeasured"));
  Assign(answer.notes, reader.Strings("notes"));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return answer;
}

}  // namespace

Result<Resource<Profile>> Profiles::Create(const ProfileRequest& request) {
  return Decoded(
      connection_.CallWithJson("POST", Target("/profiles"), EncodeProfileRequest(request)),
      &DecodeProfile);
}

Result<Resource<Profile>> Profiles::Get(const std::string& name) {
  return Decoded(connection_.Call("GET", ProfileTarget(name)), &DecodeProfile);
}

Result<ResourceList<Profile>> Profiles::List(const ProfileListFilter& filter) {
  Target target("/profiles");
  target.Query("state", filter.state).Query("modelId", filter.model_id);
  return DecodedAll(connection_.ListAll(target), &DecodeProfile);
}

Result<Resource<Profile>> Profiles::Cancel(const std::string& name) {
  return Decoded(connection_.Call("POST", PartOf(name, "cancel")), &DecodeProfile);
}

Result<Resource<Profile>> Profiles::Rerun(const std::string& name, bool when_quiet) {
  Json asked = Json::object();
  if (when_quiet) asked["whenQuiet"] = true;
  return Decoded(connection_.CallWithJson("POST", PartOf(name, "rerun"), asked), &DecodeProfile);
}

Result<Resource<Profile>> Profiles::Apply(const std::string& name) {
  return Decoded(connection_.Call("POST", PartOf(name, "apply")), &DecodeProfile);
}

Result<Resource<WhatIfRecommendation>> Profiles::AnswerWhatIf(const std::string& name,
                                                              const WhatIf& question) {
  return Decoded(connection_.CallWithJson("POST", PartOf(name, "what-if"), EncodeWhatIf(question)),
                 &DecodeWhatIf);
}

Status Profiles::Delete(const std::string& name) {
  return StatusOf(connection_.Call("DELETE", ProfileTarget(name)));
}

Result<ResourceList<Trial>> Profiles::Trials(const std::string& name) {
  return DecodedAll(connection_.ListAll(PartOf(name, "trials")), &DecodeTrial);
}

Result<ResourceList<RowRecord>> Profiles::Rows(const std::string& name) {
  return DecodedAll(connection_.ListAll(PartOf(name, "rows")), &DecodeRowRecord);
}

Result<std::string> Profiles::Logs(const std::string& name) {
  MLPROF_LET(response, connection_.Call("GET", PartOf(name, "logs")));
  return std::move(response.body);
}

Result<std::string> Profiles::AzureDocument(const std::string& name) {
  MLPROF_LET(response, connection_.Call("GET", PartOf(name, "azure")));
  return std::move(response.body);
}

Result<ResourceList<Artifact>> Profiles::Artifacts(const std::string& name) {
  return DecodedAll(connection_.ListAll(PartOf(name, "artifacts")), &DecodeArtifact);
}

Status Profiles::DownloadArtifact(const std::string& name, const std::string& id,
                                  const std::filesystem::path& file) {
  return connection_.Download(PartOf(name, "artifacts").Segment(id), file);
}

Result<std::vector<Series>> Profiles::Samples(const std::string& name, int max_points) {
  MLPROF_LET(response,
             connection_.Call(
                 "GET", PartOf(name, "samples").Query("maxPoints", std::to_string(max_points))));
  MLPROF_LET(json, JsonOf(response));
  return DecodeSeries(json);
}

Status Profiles::Events(const std::string& name, std::int64_t last_id, const EventHandler& handler,
                        std::stop_token stop) {
  RestRequest request = connection_.Prepare("GET", PartOf(name, "events"));
  request.headers["Accept"] = "text/event-stream";
  if (last_id > 0) request.headers["Last-Event-ID"] = std::to_string(last_id);
  request.idle_timeout = kEventSilence;
  request.stop = std::move(stop);
  SseParser parser;
  const auto response = connection_.transport().Stream(
      request, [&](std::string_view piece) { return parser.Feed(piece, handler); });
  if (!response) return Fail(response.error());
  if (!response->ok()) return Fail(ErrorOf(*response));
  return {};
}

}  // namespace mlprof::client
