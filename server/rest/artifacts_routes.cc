// The files that a profile left.
#include "common/json/artifact_json.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/entity_tag.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

Result<HttpResponse> ListArtifacts(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  MLPROF_LET(artifacts,
             services.profiles.Artifacts(workspace, PathParameter(request, "name"), page));
  return JsonResponse(200, EncodePage(artifacts, EncodeArtifact));
}

// Whatever a model or an instrument has written: no browser may take it for a page of this server.
void Describe(const Artifact& artifact, HttpResponse& response) {
  response.headers.Set("ETag", EntityTag(artifact.sha256));
  response.headers.Set("Content-Type", artifact.media_type);
  response.headers.Set("Content-Disposition", "attachment; filename=\"" + artifact.name + "\"");
  response.headers.Set("X-Content-Type-Options", "nosniff");
  response.headers.Set("Content-Security-Policy", "sandbox; default-src 'none'");
}

Result<HttpResponse> GetArtifact(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(artifact, services.profiles.GetArtifact(workspace, PathParameter(request, "name"),
                                                     PathParameter(request, "id")));
  HttpResponse response;
  if (HasAlready(request, EntityTag(artifact.sha256))) {
    response.status = 304;
    response.headers.Set("ETag", EntityTag(artifact.sha256));
    return response;
  }
  MLPROF_LET(file, services.profiles.ArtifactFile(artifact));
  Describe(artifact, response);
  response.body = FileBody{file};
  return response;
}

Result<HttpResponse> DeleteArtifact(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(services.profiles.DeleteArtifact(workspace, PathParameter(request, "name"),
                                              PathParameter(request, "id")));
  return NoContent();
}

}  // namespace

void AddArtifactRoutes(Router& router, const Services& services) {
  const std::string all = "/profiles/{name}/artifacts";
  router.Add({"GET", all, kNoBody, Handle(services, ListArtifacts)});
  router.Add({"GET", all + "/{id}", kNoBody, Handle(services, GetArtifact)});
  router.Add({"DELETE", all + "/{id}", kNoBody, Handle(services, DeleteArtifact)});
}

}  // namespace mlprof::server
