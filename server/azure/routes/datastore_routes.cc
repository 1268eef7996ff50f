// The workspace's one datastore: where it lies, with the signature that opens it.
#include "server/azure/datasets/dataset_import.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"

namespace mlprof::server {
namespace {

Json EncodeDatastore(const AzureServices& azure, const AzureCall& call) {
  const std::string query =
      BlobQuery(azure, call.workspace, kDatastoreContainer, CallerOf(azure, call.request));
  return {{"name", kDatastoreName},
          {"dataStoreType", "AzureBlob"},
          {"isDefault", true},
          {"hasBeenValidated", true},
          {"tags", Json::object()},
          {"azureStorageSection",
           {{"accountName", "mlprof"},
            {"containerName", kDatastoreContainer},
            {"endpoint", "x@" + call.address.https_authority},
            {"protocol", "https"},
            {"credentialType", "Sas"},
            {"credential", query},
            {"sasToken", "?" + query},
            {"isSas", true}}}};
}

Result<HttpResponse> GetDefault(const AzureServices& azure, const AzureCall& call) {
  return JsonResponse(200, EncodeDatastore(azure, call));
}

Result<HttpResponse> GetByName(const AzureServices& azure, const AzureCall& call) {
  const std::string& name = PathParameter(call.request, "name");
  if (name != kDatastoreName) {
    return Fail(
        NotFound("there is no datastore \"" + name + "\"; the only one is " + kDatastoreName));
  }
  return JsonResponse(200, EncodeDatastore(azure, call));
}

Result<HttpResponse> List(const AzureServices& azure, const AzureCall& call) {
  return JsonResponse(200, {{"value", Json::array({EncodeDatastore(azure, call)})},
                            {"continuationToken", nullptr}});
}

}  // namespace

void AddAzureDatastoreRoutes(Router& router, const AzureServices& azure) {
  const std::string root = std::string("/datastore/v1.0") + kWorkspacePattern;
  router.Add({"GET", root + "/default", kNoBody, HandleAzure(azure, GetDefault)});
  router.Add({"GET", root + "/datastores", kNoBody, HandleAzure(azure, List)});
  router.Add({"GET", root + "/datastores/{name}", kNoBody, HandleAzure(azure, GetByName)});
}

}  // namespace mlprof::server
