// Profiles, the operations that clients wait for, and the native routes that give both in Azure's
// words.
#include "common/json/json_reader.h"
#include "common/log/log.h"
#include "common/text/percent.h"
#include "server/azure/azure_api.h"
#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/documents/profile_json.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/azure/routes/azure_error.h"
#include "server/profiling/queue/profile_service.h"
#include "server/registry/byte_source.h"
#include "server/registry/content_guid.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/source_registry.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/storage/azure_records.h"

namespace mlprof::server {
namespace {

constexpr Bytes kLargestDriver = KiB(64);

std::string ServiceUrl(const AzureCall& call) {
  return call.address.https_base + "/modelmanagement/v1.0" + WorkspacePath(call.workspace);
}

// The dataset may be gone; the profile then says the id it was made with.
std::string DatasetGuid(const AzureServices& azure, const Profile& profile) {
  const auto dataset =
      azure.services.datasets.Get(profile.workspace, profile.request.input_dataset_id);
  return dataset ? ContentGuid(dataset->sha256) : profile.request.input_dataset_id;
}

Result<Json> Encode(const AzureServices& azure, const AzureCall& call, const Profile& profile) {
  MLPROF_LET(asked, azure.records.Asked(profile.id));
  const std::string logs = call.address.https_base + "/profiles/" + profile.id +
                           "/logs?workspace=" + PercentEncode(profile.workspace);
  return EncodeAzureProfile(profile, {std::move(asked), DatasetGuid(azure, profile), logs});
}

// The entry script, where only the driver names it.
Status FindScript(const AzureServices& azure, const AzureCall& call, AzureImageRequest& image) {
  if (image.has_environment) return {};
  MLPROF_LET(name, ArtifactName(call.workspace, image.driver_artifact));
  MLPROF_LET(blob, azure.blobs.Get(name));
  MLPROF_LET(text, ReadWholeFile(azure.blobs.File(blob), kLargestDriver, "the driver program"));
  return CompleteFromDriver(text, image);
}

// The source as a client put it up.
Result<TentativeSource> TakeSource(const AzureServices& azure, const AzureCall& call,
                                   const AzureImageRequest& image) {
  std::vector<SourcePart> parts;
  for (const AzureImageRequest::Asset& asset : image.assets) {
    MLPROF_LET(name, ArtifactName(call.workspace, asset.artifact));
    parts.push_back({asset.name, std::move(name), asset.unpack});
  }
  MLPROF_LET(archive, SourceArchive(azure.blobs, azure.content, parts));
  return azure.services.sources.RegisterTentatively(call.workspace, archive);
}

// The source registry has the files now, and nobody needs the driver.
void DropArtifacts(const AzureServices& azure, const AzureCall& call,
                   const AzureImageRequest& image) {
  std::vector<std::string> artifacts;
  for (const auto& asset : image.assets) artifacts.push_back(asset.artifact);
  if (!image.driver_artifact.empty()) artifacts.push_back(image.driver_artifact);
  for (const std::string& artifact : artifacts) {
    const auto name = ArtifactName(call.workspace, artifact);
    const Status removed = name ? azure.blobs.RemoveAtOrBelow(*name) : Status();
    if (!removed) LogWarn("artifacts left behind", {{"reason", removed.error().message()}});
  }
}

Result<HttpResponse> Accepted(const AzureServices& azure, const AzureCall& call,
                              const Profile& profile) {
  MLPROF_LET(json, Encode(azure, call, profile));
  HttpResponse response = JsonResponse(202, json);
  response.headers.Set("Operation-Location", ServiceUrl(call) + "/operations/" + profile.id);
  return response;
}

// With the source as the registry has it.
Result<CreatedProfile> Create(const AzureServices& azure, const AzureCall& call,
                              const IdempotencyKey& key, AzureProfileRequest& wanted) {
  MLPROF_TRY(FindScript(azure, call, wanted.image));
  MLPROF_LET(source, TakeSource(azure, call, wanted.image));
  InferenceConfig config = wanted.image.config;
  std::get<EntryScriptConfig>(config.service).source_id = source.id();
  wanted.request.inference_config = std::move(config);
  wanted.request.budget = azure.services.budget;
  auto created =
      azure.services.profiles.Create(call.workspace, wanted.request, key, CreationRules::kAzureV1);
  if (created) source.Keep();
  return created;
}

Result<HttpResponse> CreateProfile(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(json, ReadAzureObject(call.request));
  MLPROF_LET(wanted, DecodeAzureProfile(json));
  ProfileService& profiles = azure.services.profiles;
  const IdempotencyKey key = RetryKey(call);
  MLPROF_LET(before, profiles.MadeBefore(call.workspace, key));
  if (before) return Accepted(azure, call, *before);
  MLPROF_LET(unknown, profiles.UnknownIds(call.workspace, wanted.request));
  MLPROF_TRY(ProblemsToStatus(std::move(unknown)));
  MLPROF_TRY(profiles.CheckRoom(CreationRules::kAzureV1));
  const auto created = Create(azure, call, key, wanted);
  if (!created) {
    // Another request with the same body may have taken the uploads meanwhile.
    const auto meanwhile = profiles.MadeBefore(call.workspace, key);
    if (meanwhile && *meanwhile) return Accepted(azure, call, **meanwhile);
    return Fail(created.error());
  }
  const Profile& profile = created->profile;
  // The profile runs: a failure now would only make the client ask for another one.
  const Status saved = azure.records.SaveAsked(profile.id, wanted.asked);
  if (!saved) LogWarn("what was asked is not kept", {{"reason", saved.error().message()}});
  DropArtifacts(azure, call, wanted.image);
  return Accepted(azure, call, profile);
}

Result<HttpResponse> ListProfiles(const AzureServices& azure, const AzureCall& call) {
  ProfileFilter filter;
  filter.name = call.request.Query("name").value_or("");
  const PageRequest page{PageSize(call.request, "count", 255),
                         call.request.Query("$skipToken").value_or("")};
  MLPROF_LET(profiles, azure.services.profiles.List(call.workspace, filter, page));
  if (profiles.value.empty() && !filter.name.empty()) {
    return AzureError(404, "ProfileNotFound",
                      NotFound("there is no profile \"" + filter.name + "\""));
  }
  Json value = Json::array();
  for (const Profile& profile : profiles.value) {
    MLPROF_LET(json, Encode(azure, call, profile));
    value.push_back(std::move(json));
  }
  Json next = nullptr;
  if (profiles.next_cursor) {
    next = call.address.https_base + call.request.path + "?$skipToken=" + *profiles.next_cursor;
  }
  return JsonResponse(200, {{"value", value}, {"nextLink", next}});
}

Result<HttpResponse> GetProfile(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(profile,
             azure.services.profiles.Get(call.workspace, PathParameter(call.request, "id")));
  MLPROF_LET(json, Encode(azure, call, profile));
  return JsonResponse(200, json);
}

Result<HttpResponse> GetOperation(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(profile,
             azure.services.profiles.Get(call.workspace, PathParameter(call.request, "id")));
  const std::string url = ServiceUrl(call) + "/profiles/" + profile.id;
  return JsonResponse(200, EncodeAzureOperation(profile, url));
}

}  // namespace

void AddAzureProfileRoutes(Router& router, const AzureServices& azure) {
  const std::string root = std::string("/modelmanagement/v1.0") + kWorkspacePattern;
  router.Add({"POST", root + "/profiles", kJsonBody, HandleAzure(azure, CreateProfile)});
  router.Add({"GET", root + "/profiles", kNoBody, HandleAzure(azure, ListProfiles)});
  router.Add({"GET", root + "/profiles/{id}", kNoBody, HandleAzure(azure, GetProfile)});
  router.Add({"GET", root + "/operations/{id}", kNoBody, HandleAzure(azure, GetOperation)});
}

// Native routes that give Azure's documents: over plain HTTP too, and of every workspace.

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
