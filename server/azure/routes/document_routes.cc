// Native routes that give Azure's documents: over plain HTTP too, and of every workspace.
#include "server/azure/azure_api.h"
#include "server/azure/documents/az_profile.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/storage/azure_records.h"

namespace mlprof::server {
namespace {

Result<HttpResponse> GetProfileForAz(const AzureServices& azure, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(profile, azure.services.profiles.Get(workspace, PathParameter(request, "name")));
  MLPROF_LET(asked, azure.records.Asked(profile.id));
  return JsonResponse(200, EncodeAzProfile(profile, asked));
}

}  // namespace

void AddAzureDocumentRoutes(Router& router, const AzureServices& azure) {
  router.Add({"GET", "/profiles/{name}/azure", kNoBody, Handle([azure](const HttpRequest& request) {
                return GetProfileForAz(azure, request);
              })});
}

}  // namespace mlprof::server
