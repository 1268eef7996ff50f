// Artifacts: where to put files up, and where those of a registered model are to be read.
#include <algorithm>

#include "common/json/field_checks.h"
#include "common/text/percent.h"
#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/blobs/blob_path.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/azure/routes/served_blobs.h"
#include "server/registry/model_registry.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostPathsAsked = 1000;

// "ORIGIN/CONTAINER" of the route.
Result<std::string> Root(const AzureCall& call) {
  const std::string& origin = PathParameter(call.request, "origin");
  const std::string& container = PathParameter(call.request, "container");
  if (!CheckName(origin).empty() || !CheckId(container).empty()) {
    return Fail(InvalidArgument("this cannot be an artifact's container"));
  }
  return origin + "/" + container;
}

Result<HttpResponse> CreateBatch(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(root, Root(call));
  MLPROF_LET(json, ReadAzureObject(call.request));
  if (!json.contains("paths") || !json["paths"].is_array() ||
      json["paths"].size() > kMostPathsAsked) {
    return Fail(InvalidArgument("paths must be a list of at most 1000"));
  }
  const Caller caller = CallerOf(azure, call.request);
  Json artifacts = Json::object();
  Json addresses = Json::object();
  for (const Json& item : json["paths"]) {
    if (!item.is_object()) return Fail(InvalidArgument("a path must be an object"));
    MLPROF_LET(path, TextMember(item, "path"));
    MLPROF_LET(blob, ArtifactName(call.workspace, root + "/" + path));
    const std::string id = root + "/" + path;
    artifacts[path] = {{"artifactId", id},
                       {"origin", PathParameter(call.request, "origin")},
                       {"container", PathParameter(call.request, "container")},
                       {"path", path}};
    // Not encoded: a client takes the path out of the address as it stands and encodes it itself.
    addresses[path] = {{"contentUri", BlobAddress(azure, call, blob.container, blob.path, caller)},
                       {"origin", PathParameter(call.request, "origin")},
                       {"container", PathParameter(call.request, "container")},
                       {"path", path}};
  }
  return JsonResponse(200, {{"artifacts", artifacts},
                            {"artifactContentInformation", addresses},
                            {"errors", Json::object()}});
}

// The paths below "ORIGIN/CONTAINER/", of what was put up or of a registered model.
Result<std::vector<std::string>> PathsIn(const AzureServices& azure, const AzureCall& call,
                                         const std::string& root) {
  MLPROF_LET(name, ArtifactName(call.workspace, root + "/x"));
  if (IsServedPath(name)) {
    MLPROF_LET(model,
               azure.services.models.Get(call.workspace, PathParameter(call.request, "container")));
    return ModelFilePaths(azure, model);
  }
  const BlobName under{call.workspace, kArtifactContainer, kArtifactRoot + root};
  MLPROF_LET(blobs, azure.blobs.AtOrBelow(under, kMostArtifactFiles));
  std::vector<std::string> paths;
  for (const Blob& blob : blobs) {
    paths.push_back(blob.path.substr(std::min(under.path.size() + 1, blob.path.size())));
  }
  return paths;
}

Result<HttpResponse> GetContent(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(root, Root(call));
  std::string prefix = PathParameter(call.request, "prefix");
  while (prefix.ends_with('/')) prefix.pop_back();
  MLPROF_LET(paths, PathsIn(azure, call, root));
  const Caller reader{Scope::kRead, CallerOf(azure, call.request).token_id};
  Json value = Json::array();
  for (const std::string& path : paths) {
    if (!prefix.empty() && !IsAtOrBelow(path, prefix)) continue;
    const std::string blob = PercentEncodePath(kArtifactRoot + root + "/" + path);
    value.push_back({{"path", path},
                     {"origin", PathParameter(call.request, "origin")},
                     {"container", PathParameter(call.request, "container")},
                     {"contentUri", BlobAddress(azure, call, kArtifactContainer, blob, reader)}});
  }
  return JsonResponse(200,
                      {{"value", value}, {"continuationToken", nullptr}, {"nextLink", nullptr}});
}

}  // namespace

void AddAzureArtifactRoutes(Router& router, const AzureServices& azure) {
  const std::string root = std::string("/artifact/v2.0") + kWorkspacePattern + "/artifacts";
  router.Add({"POST", root + "/batch/metadata/{origin}/{container}", kJsonBody,
              HandleAzure(azure, CreateBatch)});
  const std::string content = root + "/prefix/contentinfo/{origin}/{container}";
  router.Add({"GET", content, kNoBody, HandleAzure(azure, GetContent)});
  router.Add({"GET", content + "/{prefix...}", kNoBody, HandleAzure(azure, GetContent)});
}

}  // namespace mlprof::server
