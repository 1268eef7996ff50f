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
  MLPROF_LET(json, ReadJsonBody(request));
  MLPROF_LET(profile, services.profiles.Get(workspace, PathParameter(request, "name")));
  MLPROF_LET(question, DecodeWhatIfQuestion(json, profile.request.objective));
  if (!profile.recommendation) return Fail(Conflict("the profile has no recommendation"));
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

}  // namespace mlprof::server
