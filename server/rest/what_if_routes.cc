#include "common/json/domain_json.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"
#include "server/rest/what_if_json.h"

namespace mlprof::server {
namespace {

Result<HttpResponse> AskWhatIf(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  const auto json = ReadJsonBody(request);
  if (!json) return Fail(json.error());
  const auto profile = services.profiles.Get(workspace, PathParameter(request, "name"));
  if (!profile) return Fail(profile.error());
  const auto question = DecodeWhatIfQuestion(*json, profile->request.objective);
  if (!question) return Fail(question.error());
  if (!profile->recommendation) return Fail(Conflict("the profile has no recommendation"));
  // By id: the name may get a newer run meanwhile.
  const auto trials = services.profiles.Trials(workspace, profile->id);
  if (!trials) return Fail(trials.error());
  const auto rows = services.profiles.Rows(workspace, profile->id);
  if (!rows) return Fail(rows.error());
  const auto answer = AnswerWhatIf(*profile, *trials, *rows, *question);
  if (!answer) return Fail(answer.error());
  return JsonResponse(200, EncodeWhatIfAnswer(*answer));
}

}  // namespace

void AddWhatIfRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/profiles/{name}/what-if", kJsonBody, Handle(services, AskWhatIf)});
}

}  // namespace mlprof::server
