// Assets and models of the model management service.
#include <charconv>
#include <set>

#include "common/log/log.h"
#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/documents/model_json.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/azure/routes/azure_error.h"
#include "server/azure/routes/served_blobs.h"
#include "server/registry/model_registry.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/storage/azure_records.h"
#include "server/storage/random_id.h"

namespace mlprof::server {
namespace {

constexpr int kModelsPage = 1000;

Json EncodeAsset(const std::string& id, const std::string& name,
                 const std::vector<std::string>& prefixes) {
  Json artifacts = Json::array();
  for (const std::string& prefix : prefixes) {
    artifacts.push_back({{"prefix", prefix}, {"id", nullptr}});
  }
  return {{"id", id},
          {"name", name},
          {"artifacts", artifacts},
          {"kvTags", Json::object()},
          {"properties", Json::object()},
          {"description", nullptr}};
}

Result<HttpResponse> CreateAsset(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(json, ReadAzureObject(call.request));
  MLPROF_LET(name, TextMember(json, "name"));
  const Json artifacts = json.value("artifacts", Json::array());
  if (!artifacts.is_array() || artifacts.size() != 1 || !artifacts.front().is_object()) {
    return Fail(InvalidArgument("artifacts must be a list of one object"));
  }
  MLPROF_LET(prefix, TextMember(artifacts.front(), "prefix"));
  if (const auto blob = ArtifactName(call.workspace, prefix); !blob) return Fail(blob.error());
  const AzureAsset asset{RandomId(), name.substr(0, 255), prefix};
  MLPROF_TRY(azure.records.SaveAsset(call.workspace, asset));
  return JsonResponse(200, EncodeAsset(asset.id, asset.name, {asset.prefix}));
}

// What lies at the top of a model, each with all below it.
Result<HttpResponse> ModelAsset(const AzureServices& azure, const Model& model) {
  MLPROF_LET(paths, ModelFilePaths(azure, model));
  std::set<std::string> tops;
  for (const std::string& path : paths) tops.insert(path.substr(0, path.find('/')));
  std::vector<std::string> prefixes;
  for (const std::string& top : tops) prefixes.push_back(ModelArtifact(model) + "/" + top);
  return JsonResponse(200, EncodeAsset(model.id, model.name, prefixes));
}

Result<HttpResponse> GetAsset(const AzureServices& azure, const AzureCall& call) {
  const std::string& id = PathParameter(call.request, "id");
  MLPROF_LET(asset, azure.records.FindAsset(call.workspace, id));
  if (asset) {
    return JsonResponse(200, EncodeAsset(asset->id, asset->name, {asset->prefix}));
  }
  const auto model = azure.services.models.Get(call.workspace, id);
  if (!model) return Fail(NotFound("there is no asset \"" + id + "\""));
  return ModelAsset(azure, *model);
}

// Takes the files over from the asset's artifact.
Result<Model> RegisterModel(const AzureServices& azure, const AzureCall& call,
                            const IdempotencyKey& key, AzureNewModel& wanted) {
  MLPROF_LET(asset, azure.records.FindAsset(call.workspace, wanted.asset_id));
  if (!asset) return Fail(NotFound("there is no asset \"" + wanted.asset_id + "\""));
  MLPROF_LET(artifact, ArtifactName(call.workspace, asset->prefix));
  MLPROF_LET(archive, ModelArchive(azure.blobs, azure.content, artifact, wanted.unpack));
  wanted.model.workspace = call.workspace;
  auto model = azure.services.models.Register(wanted.model, archive, key);
  if (!model) return model;
  // From here on the registry has the files; they are read through the model.
  if (Status removed = azure.blobs.RemoveAtOrBelow(artifact); !removed) {
    LogWarn("artifacts left behind", {{"reason", removed.error().message()}});
  }
  return model;
}

Result<HttpResponse> CreateModel(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(json, ReadAzureObject(call.request));
  MLPROF_LET(wanted, DecodeAzureModel(json));
  const IdempotencyKey key = RetryKey(call);
  MLPROF_LET(before, azure.services.models.MadeBefore(call.workspace, key));
  if (before) return JsonResponse(200, EncodeAzureModel(*before));
  const auto model = RegisterModel(azure, call, key, wanted);
  if (!model) {
    // Another request with the same body may have taken the files meanwhile.
    const auto meanwhile = azure.services.models.MadeBefore(call.workspace, key);
    if (meanwhile && *meanwhile) return JsonResponse(200, EncodeAzureModel(**meanwhile));
    return Fail(model.error());
  }
  return JsonResponse(200, EncodeAzureModel(*model));
}

// The client knows a missing model by this code and by the status inside the body.
HttpResponse ModelNotFound(const std::string& id) {
  return AzureError(404, "ModelNotFound",
                    NotFound("Model with id " + id + " not found in provided workspace"));
}

Result<HttpResponse> GetModel(const AzureServices& azure, const AzureCall& call) {
  const std::string& id = PathParameter(call.request, "id");
  const auto model = azure.services.models.Get(call.workspace, id);
  if (!model && model.error().code() == ErrorCode::kNotFound) return ModelNotFound(id);
  if (!model) return Fail(model.error());
  return JsonResponse(200, EncodeAzureModel(*model));
}

struct ListQuery {
  ModelFilter registry;
  AzureModelFilter more;
  bool latest_only = false;
};

ListQuery ReadListQuery(const HttpRequest& request) {
  ListQuery query;
  query.registry.name = request.Query("name").value_or("");
  query.registry.tags = ReadFilters(request.Query("tags").value_or(""));
  query.more.properties = ReadFilters(request.Query("properties").value_or(""));
  query.more.framework = request.Query("framework").value_or("");
  query.more.dataset_id = request.Query("datasetId").value_or("");
  query.more.run_id = request.Query("runId").value_or("");
  const std::string latest = request.Query("latestVersionOnly").value_or("");
  query.latest_only = EqualsIgnoringCase(latest, "true");
  return query;
}

// All that fit, newest first.
Result<std::vector<Model>> Matching(const AzureServices& azure, const std::string& workspace,
                                    const ListQuery& query) {
  std::vector<Model> models;
  std::set<std::string> seen;
  PageRequest request{kModelsPage, ""};
  for (;;) {
    MLPROF_LET(page, azure.services.models.List(workspace, query.registry, request));
    for (Model& model : page.value) {
      const bool newest = seen.insert(model.name).second;
      if (query.more.Fits(model) && (newest || !query.latest_only)) {
        models.push_back(std::move(model));
      }
    }
    if (!page.next_cursor) return models;
    request.cursor = *page.next_cursor;
  }
}

Result<HttpResponse> ListModels(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(models, Matching(azure, call.workspace, ReadListQuery(call.request)));
  const std::string token = call.request.Query("$skipToken").value_or("0");
  std::size_t first = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), first);
  if (error != std::errc() || end != token.data() + token.size() || first > models.size()) {
    return Fail(InvalidArgument("$skipToken is none this list has given"));
  }
  const std::size_t last = std::min(
      models.size(), first + static_cast<std::size_t>(PageSize(call.request, "count", 255)));
  Json value = Json::array();
  for (std::size_t i = first; i < last; ++i) value.push_back(EncodeAzureModel(models[i]));
  Json next = nullptr;
  if (last < models.size()) {
    next = call.address.https_base + call.request.path + "?$skipToken=" + std::to_string(last);
  }
  return JsonResponse(200, {{"value", value}, {"nextLink", next}});
}

Result<HttpResponse> ChangeModel(const AzureServices& azure, const AzureCall& call) {
  const std::string& id = PathParameter(call.request, "id");
  MLPROF_LET(json, ParseJson(call.request.BodyText()));
  const auto before = azure.services.models.Get(call.workspace, id);
  if (!before && before.error().code() == ErrorCode::kNotFound) return ModelNotFound(id);
  if (!before) return Fail(before.error());
  MLPROF_LET(change, DecodeAzurePatch(json, *before));
  MLPROF_LET(model, azure.services.models.Change(call.workspace, before->id, change));
  return JsonResponse(200, EncodeAzureModel(model));
}

Result<HttpResponse> DeleteModel(const AzureServices& azure, const AzureCall& call) {
  const std::string& id = PathParameter(call.request, "id");
  const Status deleted = azure.services.models.Delete(call.workspace, id);
  if (deleted) return JsonResponse(200, Json::object());
  if (deleted.error().code() == ErrorCode::kNotFound) return ModelNotFound(id);
  if (deleted.error().code() != ErrorCode::kConflict) return Fail(deleted.error());
  return AzureError(412, "DeletionRequired", deleted.error().WithContext("DeletionRequired"));
}

}  // namespace

void AddAzureModelRoutes(Router& router, const AzureServices& azure) {
  const std::string root = std::string("/modelmanagement/v1.0") + kWorkspacePattern;
  router.Add({"POST", root + "/assets", kJsonBody, HandleAzure(azure, CreateAsset)});
  router.Add({"GET", root + "/assets/{id}", kNoBody, HandleAzure(azure, GetAsset)});
  router.Add({"POST", root + "/models", kJsonBody, HandleAzure(azure, CreateModel)});
  router.Add({"GET", root + "/models", kNoBody, HandleAzure(azure, ListModels)});
  router.Add({"GET", root + "/models/{id}", kNoBody, HandleAzure(azure, GetModel)});
  router.Add({"PATCH", root + "/models/{id}", kJsonBody, HandleAzure(azure, ChangeModel)});
  router.Add({"DELETE", root + "/models/{id}", kNoBody, HandleAzure(azure, DeleteModel)});
}

}  // namespace mlprof::server
