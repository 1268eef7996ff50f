#include "server/rest/what_if_routes.h"

#include "common/json/domain_json.h"
#include "common/json/no_answer_json.h"
#include "common/json/objective_json.h"
#include "server/profiling/queue/profile_service.h"
#include "server/profiling/run/recorded_arrivals.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

// `whose`: empty for what the question itself names.
Status ReadTrace(const Services& services, const std::string& workspace, const std::string& whose,
                 Objective& objective) {
  const Status read = ReadRecorded(services.datasets, workspace, objective);
  if (read) return {};
  if (!whose.empty()) return Fail(read.error().WithContext(whose));
  const bool unknown = read.error().code() == ErrorCode::kNotFound ||
                       read.error().code() == ErrorCode::kInvalidArgument;
  if (!unknown) return read;
  return Fail(Error(ErrorCode::kInvalidArgument, "the request has bad fields",
                    {{"/objective/arrivals/trace", read.error().message()}}));
}

Result<HttpResponse> AskWhatIf(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(json, ReadJsonBody(request));
  MLPROF_LET(profile, services.profiles.Get(workspace, PathParameter(request, "name")));
  MLPROF_LET(question, DecodeWhatIfQuestion(json, profile.request.objective));
  MLPROF_TRY(
      ReadTrace(services, workspace, "the profile's own arrivals", profile.request.objective));
  MLPROF_TRY(ReadTrace(services, workspace, "", question.objective));
  // By id: the name may get a newer run meanwhile.
  MLPROF_LET(trials, services.profiles.Trials(workspace, profile.id));
  MLPROF_LET(rows, services.profiles.Rows(workspace, profile.id));
  MLPROF_LET(answer, AnswerWhatIf(profile, trials, rows, question));
  return JsonResponse(200, EncodeWhatIfAnswer(answer));
}

}  // namespace

void AddWhatIfRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/profiles/{name}/what-if", kJsonBody, Handle(services, AskWhatIf)});
}

namespace {

constexpr double kLargestMargin = 10;  // a share of the need: ten times on top is a slip
constexpr int kMostWorkers = 1024;     // as many as an objective may have rows in flight

}  // namespace

Result<WhatIfQuestion> DecodeWhatIfQuestion(const Json& json, const Objective& own) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  WhatIfQuestion question{own, std::nullopt};
  if (auto objective = reader.Object("objective", Null::kAbsent)) {
    question.objective = ReadObjective(*objective);
  }
  question.memory_margin = reader.Number("memoryMargin", {0, kLargestMargin}, Null::kAbsent);
  question.workers = reader.Integer("workers", {1, kMostWorkers}, Null::kAbsent);
  reader.RefuseUnknown();
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return question;
}

Json EncodeWhatIfAnswer(const WhatIfAnswer& answer) {
  Json json = answer.recommendation ? EncodeRecommendation(*answer.recommendation)
                                    : Json{{"recommendation", nullptr}};
  json["noAnswer"] = answer.no_answer ? EncodeNoAnswer(*answer.no_answer) : Json(nullptr);
  json["withinMeasured"] = answer.within_measured;
  json["notes"] = answer.notes;
  return json;
}

}  // namespace mlprof::server
