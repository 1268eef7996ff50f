// Where a client begins: the cloud's addresses, the subscriptions, the workspace, its services and
// its one datastore.
#include <algorithm>
#include <set>

#include "common/hash/sha256.h"
#include "server/azure/datasets/dataset_import.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/registry/content_guid.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/storage/azure_records.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

Result<HttpResponse> GetCloud(const AzureServices&, const AzureCall& call) {
  const std::string& base = call.address.https_base;
  const Json cloud = {
      {"name", "AzureCloud"},
      {"resourceManager", base + "/"},
      {"portal", base},
      {"authentication",
       {{"loginEndpoint", base}, {"audiences", Json::array({base + "/"})}, {"tenant", "common"}}},
      {"suffixes", {{"storage", "x@" + call.address.https_authority}}}};
  return JsonResponse(200, Json::array({cloud}));
}

Result<HttpResponse> GetServices(const AzureServices&, const AzureCall& call) {
  Json services = Json::object();
  for (const char* name :
       {"api", "experimentation", "history", "hyperdrive", "modelmanagement", "studio"}) {
    services[name] = call.address.https_base;
  }
  return JsonResponse(200, services);
}

// Those of every workspace that was used, and the one the command line takes where none is given.
Result<HttpResponse> GetSubscriptions(const AzureServices& azure, const AzureCall&) {
  MLPROF_LET(workspaces, ListWorkspaces(azure.services.database));
  std::set<std::string> names = {"default"};
  for (const std::string& workspace : workspaces) {
    const std::size_t slash = workspace.find('/');
    if (slash != std::string::npos) names.insert(workspace.substr(0, slash));
  }
  Json value = Json::array();
  for (const std::string& name : names) {
    value.push_back({{"id", "/subscriptions/" + name},
                     {"subscriptionId", name},
                     {"displayName", name},
                     {"state", "Enabled"},
                     {"tenantId", nullptr}});
  }
  return JsonResponse(200, {{"value", value}});
}

Json EncodeWorkspace(const AzureCall& call) {
  const std::string name = call.workspace.substr(call.workspace.rfind('/') + 1);
  return {{"id", WorkspacePath(call.workspace)},
          {"name", name},
          {"type", "Microsoft.MachineLearningServices/workspaces"},
          {"location", "local"},
          {"tags", Json::object()},
          {"properties",
           {{"friendlyName", name},
            {"description", ""},
            {"provisioningState", "Succeeded"},
            {"workspaceId", ContentGuid(Sha256Hex("workspace " + call.workspace))},
            {"discoveryUrl", call.address.https_base + "/discovery"}}}};
}

// Workspaces are made by their first use, so any may be looked at.
Result<HttpResponse> GetWorkspace(const AzureServices&, const AzureCall& call) {
  return JsonResponse(200, EncodeWorkspace(call));
}

Result<HttpResponse> UseWorkspace(const AzureServices& azure, const AzureCall& call) {
  MLPROF_TRY(azure.records.UseWorkspace(call.workspace));
  return JsonResponse(200, EncodeWorkspace(call));
}

}  // namespace

void AddAzureBootstrapRoutes(Router& router, const AzureServices& azure) {
  router.Add({"GET", "/metadata/endpoints", kNoBody, HandleAzure(azure, GetCloud)});
  router.Add({"GET", "/discovery", kNoBody, HandleAzure(azure, GetServices)});
  router.Add({"GET", "/subscriptions", kNoBody, HandleAzure(azure, GetSubscriptions)});
  router.Add({"GET", kWorkspacePattern, kNoBody, HandleAzure(azure, GetWorkspace)});
  router.Add({"PUT", kWorkspacePattern, kJsonBody, HandleAzure(azure, UseWorkspace)});
}

// The workspace's one datastore: where it lies, with the signature that opens it.

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
