// Tabular datasets. A definition is read once, when it is registered; from then on the dataset is
// its rows, and its definition names a text of exactly these.
#include <charconv>
#include <set>

#include "common/json/field_checks.h"
#include "server/azure/datasets/dataflow.h"
#include "server/azure/datasets/dataset_import.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/azure/routes/azure_error.h"
#include "server/azure/routes/dataset_responses.h"
#include "server/registry/content_guid.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/packed_rows.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/storage/azure_records.h"

namespace mlprof::server {
namespace {

constexpr int kDatasetsPage = 1000;
constexpr std::size_t kMostTags = 1000;
constexpr const char* kUnregistered = "unregistered-";

Result<HttpResponse> Respond(const AzureServices& azure, const Result<Dataset>& dataset) {
  if (!dataset) return Fail(dataset.error());
  MLPROF_LET(json, EncodeAzureDataset(azure, *dataset));
  return JsonResponse(200, json);
}

Result<HttpResponse> RespondSaved(const Result<Dataset>& dataset) {
  if (!dataset) return Fail(dataset.error());
  MLPROF_LET(json, EncodeSavedDataset(*dataset));
  return JsonResponse(200, json);
}

struct Wanted {
  NewDataset dataset;
  Rows rows;
};

Result<Rows> RowsOf(const AzureServices& azure, const std::string& workspace,
                    const std::string& dataflow) {
  MLPROF_LET(yaml, YamlOfDataflow(dataflow));
  MLPROF_LET(definition, ParseDataflow(yaml, workspace));
  return ImportRows(azure.blobs, workspace, definition);
}

Result<AzureTags> ReadTags(const Json& json) {
  AzureTags tags;
  const Json given = json.value("tags", Json::object());
  if (given.is_null()) return tags;
  if (!given.is_object() || given.size() > kMostTags) {
    return Fail(InvalidArgument("tags must be an object of at most 1000 members"));
  }
  for (const auto& [key, value] : given.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : DumpJson(value);
    if (!CheckTagKey(key).empty() || !CheckTagValue(text).empty()) {
      return Fail(InvalidArgument("the tag " + key.substr(0, 100) + " cannot be one"));
    }
    tags[key] = text;
  }
  return tags;
}

Result<Wanted> ReadWanted(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(json, ReadAzureObject(call.request));
  MLPROF_LET(name, TextMember(json, "name"));
  MLPROF_LET(type, TextMember(json, "datasetType"));
  if (type != "tabular") {
    return Fail(InvalidArgument("mlprof keeps tabular datasets; this one is \"" + type + "\""));
  }
  MLPROF_LET(description, TextMember(json, "description"));
  if (std::string problem = CheckDescription(description); !problem.empty()) {
    return Fail(InvalidArgument("description " + problem));
  }
  MLPROF_LET(tags, ReadTags(json));
  const Json latest = json.value("latest", Json::object());
  if (!latest.is_object()) return Fail(InvalidArgument("latest must be an object"));
  MLPROF_LET(dataflow, TextMember(latest, "dataflow"));
  MLPROF_LET(rows, RowsOf(azure, call.workspace, dataflow));
  return Wanted{{call.workspace, name, description, "", std::move(tags)}, std::move(rows)};
}

Result<Dataset> Keep(const AzureServices& azure, const Wanted& wanted) {
  return azure.services.datasets.RegisterRows(wanted.dataset, wanted.rows, {});
}

bool Flag(const AzureCall& call, const char* name) {
  return EqualsIgnoringCase(call.request.Query(name).value_or(""), "true");
}

// The newest version of that name. A name is no id: "a:1" and a GUID name nothing here.
Result<std::optional<Dataset>> NewestNamed(const AzureServices& azure, const std::string& workspace,
                                           const std::string& name) {
  auto found = azure.services.datasets.Get(workspace, name);
  if (found && found->name == name) return std::move(*found);
  if (!found && found.error().code() != ErrorCode::kNotFound) return Fail(found.error());
  return std::nullopt;
}

// The same rows, described in the same way, are the same version.
Result<bool> IsSame(const AzureServices& azure, const Wanted& wanted, const Dataset& dataset) {
  if (PackedDigest(wanted.rows) != dataset.sha256) return false;
  MLPROF_LET(tags, azure.records.DatasetTags(dataset.workspace, dataset.name, dataset.version));
  return tags == wanted.dataset.azure_tags && dataset.description == wanted.dataset.description;
}

Result<HttpResponse> RegisterDataset(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(wanted, ReadWanted(azure, call));
  const std::string& name = wanted.dataset.name;
  MLPROF_LET(newest, NewestNamed(azure, call.workspace, name));
  if (!newest) return Respond(azure, Keep(azure, wanted));
  if (!Flag(call, "ifExistsOk")) {
    return Fail(Conflict("There is already a dataset registered under name \"" + name + "\""));
  }
  if (!Flag(call, "updateDefinitionIfExists")) return Respond(azure, *newest);
  MLPROF_LET(same, IsSame(azure, wanted, *newest));
  return Respond(azure, same ? *newest : Keep(azure, wanted));
}

// A dataset a script made and did not register: kept under a name made of its content.
Result<HttpResponse> SaveDataset(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(json, ReadAzureObject(call.request));
  auto dataflow = TextMember(json, "dataflowJson");
  if (dataflow && dataflow->empty()) dataflow = TextMember(json, "dataflow");
  if (!dataflow) return Fail(dataflow.error());
  MLPROF_LET(rows, RowsOf(azure, call.workspace, *dataflow));
  const std::string guid = ContentGuid(PackedDigest(rows));
  const auto known = azure.services.datasets.Get(call.workspace, guid);
  if (known) return RespondSaved(known);
  const NewDataset unregistered{call.workspace, kUnregistered + guid, "", ""};
  return RespondSaved(azure.services.datasets.RegisterRows(unregistered, rows, {}));
}

// "name" and "versionId" to a dataset's id; "" for a version that is none.
std::string IdOf(const std::string& name, const std::string& version) {
  const bool newest = version.empty() || version == "None" || version == "latest";
  return newest ? name : name + ":" + version;
}

// .../datasets/query/name=NAME and .../datasets/query/savedDatasetId=ID
Result<HttpResponse> QueryDataset(const AzureServices& azure, const AzureCall& call) {
  const std::string& query = PathParameter(call.request, "query");
  constexpr std::string_view kByName = "name=";
  constexpr std::string_view kById = "savedDatasetId=";
  if (query.starts_with(kByName)) {
    const std::string version = call.request.Query("versionId").value_or("");
    const std::string id = IdOf(query.substr(kByName.size()), version);
    return Respond(azure, azure.services.datasets.Get(call.workspace, id));
  }
  if (!query.starts_with(kById)) return Fail(NotFound("there is no such query"));
  Json value = Json::array();
  const auto dataset = azure.services.datasets.Get(call.workspace, query.substr(kById.size()));
  if (!dataset && dataset.error().code() != ErrorCode::kNotFound) return Fail(dataset.error());
  if (dataset) {
    MLPROF_LET(json, EncodeAzureDataset(azure, *dataset));
    value.push_back(std::move(json));
  }
  return JsonResponse(200, {{"value", value}, {"continuationToken", nullptr}});
}

Result<HttpResponse> GetSaved(const AzureServices& azure, const AzureCall& call) {
  return RespondSaved(
      azure.services.datasets.Get(call.workspace, PathParameter(call.request, "id")));
}

Result<std::vector<Dataset>> Newest(const AzureServices& azure, const std::string& workspace) {
  std::vector<Dataset> datasets;
  std::set<std::string> seen;
  PageRequest request{kDatasetsPage, ""};
  for (;;) {
    MLPROF_LET(page, azure.services.datasets.List(workspace, "", request));
    for (Dataset& dataset : page.value) {
      if (seen.insert(dataset.name).second) datasets.push_back(std::move(dataset));
    }
    if (!page.next_cursor) return datasets;
    request.cursor = *page.next_cursor;
  }
}

Result<HttpResponse> ListDatasets(const AzureServices& azure, const AzureCall& call) {
  MLPROF_LET(datasets, Newest(azure, call.workspace));
  const std::string token = call.request.Query("continuationToken").value_or("0");
  std::size_t first = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), first);
  if (error != std::errc() || end != token.data() + token.size() || first > datasets.size()) {
    return Fail(InvalidArgument("continuationToken is none this list has given"));
  }
  const auto size = static_cast<std::size_t>(PageSize(call.request, "pageSize", 100));
  const std::size_t last = std::min(datasets.size(), first + size);
  Json value = Json::array();
  for (std::size_t i = first; i < last; ++i) {
    auto json = EncodeAzureDataset(azure, datasets[i]);
    // One that no text can hold is no reason to list none.
    if (!json && json.error().code() == ErrorCode::kInvalidArgument) continue;
    if (!json) return Fail(json.error());
    value.push_back(std::move(*json));
  }
  const Json next = last < datasets.size() ? Json(std::to_string(last)) : Json(nullptr);
  return JsonResponse(200, {{"value", value}, {"continuationToken", next}});
}

// The YAML alone, of "unregistered-GUID" or of a name and version.
Result<HttpResponse> GetDataVersion(const AzureServices& azure, const AzureCall& call) {
  const std::string& name = PathParameter(call.request, "name");
  const bool by_content = name.starts_with(kUnregistered);
  const std::string id = by_content ? name.substr(std::string_view(kUnregistered).size())
                                    : IdOf(name, PathParameter(call.request, "version"));
  MLPROF_LET(dataset, azure.services.datasets.Get(call.workspace, id));
  MLPROF_LET(yaml, DatasetYaml(dataset));
  return JsonResponse(200, {{"legacyDataflow", yaml}});
}

}  // namespace

void AddAzureDatasetRoutes(Router& router, const AzureServices& azure) {
  const std::string root = std::string("/dataset/v1.0") + kWorkspacePattern;
  router.Add({"POST", root + "/datasets", kJsonBody, HandleAzure(azure, RegisterDataset)});
  router.Add({"GET", root + "/datasets", kNoBody, HandleAzure(azure, ListDatasets)});
  router.Add({"GET", root + "/datasets/query/{query}", kNoBody, HandleAzure(azure, QueryDataset)});
  router.Add({"POST", root + "/saveddatasets", kJsonBody, HandleAzure(azure, SaveDataset)});
  router.Add({"GET", root + "/saveddatasets/{id}", kNoBody, HandleAzure(azure, GetSaved)});
  router.Add(
      {"GET",
       std::string("/data/v1.0") + kWorkspacePattern + "/dataversion/{name}/versions/{version}",
       kNoBody, HandleAzure(azure, GetDataVersion)});
}

}  // namespace mlprof::server
