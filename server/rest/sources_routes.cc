#include "server/registry/source_registry.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

// Sources are named by their content, so registering one again changes nothing.
Result<HttpResponse> RegisterSource(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(tar, ReadTarBody(request));
  MLPROF_LET(key, ReadIdempotencyKey(request));
  MLPROF_LET(id, services.sources.Register(workspace, *tar, key));
  return JsonResponse(201, {{"id", id}});
}

Result<HttpResponse> DeleteSource(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(services.sources.Delete(workspace, PathParameter(request, "id")));
  return NoContent();
}

}  // namespace

void AddSourceRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/sources", kUploadBody, Handle(services, RegisterSource)});
  router.Add({"DELETE", "/sources/{id}", kNoBody, Handle(services, DeleteSource)});
}

}  // namespace mlprof::server
