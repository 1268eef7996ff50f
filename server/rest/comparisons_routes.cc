#include "common/json/variant_comparison_json.h"
#include "common/json/variants_json.h"
#include "server/profiling/comparison/comparison_service.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

Result<HttpResponse> CreateComparison(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(json, ReadJsonBody(request));
  std::vector<FieldError> problems;
  VariantComparisonRequest asked = DecodeComparisonRequest(json, problems);
  if (!asked.base.budget_given) asked.base.budget = services.budget;
  if (!problems.empty()) {
    MLPROF_LET(unknown, services.profiles.UnknownIds(workspace, asked.base));
    problems.insert(problems.end(), unknown.begin(), unknown.end());
    return Fail(ProblemsToStatus(std::move(problems)).error());
  }
  MLPROF_LET(key, ReadIdempotencyKey(request));
  MLPROF_LET(comparison, services.comparisons.Create(workspace, asked, key));
  return CreatedResponse(202, EncodeComparison(comparison),
                         "/comparisons/" + comparison.request.base.name, workspace);
}

Result<HttpResponse> ListComparisons(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  MLPROF_LET(comparisons, services.comparisons.List(workspace, page));
  return JsonResponse(200, EncodePage(comparisons, EncodeComparison));
}

Result<HttpResponse> GetComparison(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(comparison, services.comparisons.Get(workspace, PathParameter(request, "name")));
  return JsonResponse(200, EncodeComparison(comparison));
}

Result<HttpResponse> CancelComparison(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(comparison, services.comparisons.Cancel(workspace, PathParameter(request, "name")));
  return JsonResponse(202, EncodeComparison(comparison));
}

Result<HttpResponse> DeleteComparison(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(services.comparisons.Delete(workspace, PathParameter(request, "name")));
  return NoContent();
}

}  // namespace

void AddComparisonRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/comparisons", kJsonBody, Handle(services, CreateComparison)});
  router.Add({"GET", "/comparisons", kNoBody, Handle(services, ListComparisons)});
  router.Add({"GET", "/comparisons/{name}", kNoBody, Handle(services, GetComparison)});
  router.Add({"DELETE", "/comparisons/{name}", kNoBody, Handle(services, DeleteComparison)});
  router.Add({"POST", "/comparisons/{name}/cancel", kNoBody, Handle(services, CancelComparison)});
}

}  // namespace mlprof::server
