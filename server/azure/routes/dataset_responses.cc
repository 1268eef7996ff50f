#include "server/azure/routes/dataset_responses.h"

#include "common/hash/sha256.h"
#include "server/azure/datasets/dataflow.h"
#include "server/azure/routes/served_blobs.h"
#include "server/registry/content_guid.h"
#include "server/registry/dataset_registry.h"
#include "server/storage/azure_records.h"

namespace mlprof::server {
namespace {

std::string RegistrationId(const Dataset& dataset) {
  return ContentGuid(Sha256Hex("dataset " + dataset.workspace + " " + dataset.name));
}

}  // namespace

Result<std::string> DatasetYaml(const Dataset& dataset) {
  if (dataset.form == RowForm::kBinary) {
    return Fail(InvalidArgument("some rows of the dataset " + dataset.id +
                                " are no text, and no text dataset can hold them"));
  }
  return DataflowYaml(dataset.workspace, DatasetBlobPath(dataset.sha256),
                      dataset.form == RowForm::kMultiLine);
}

Result<Json> EncodeAzureDataset(const AzureServices& azure, const Dataset& dataset) {
  MLPROF_LET(yaml, DatasetYaml(dataset));
  MLPROF_LET(tags, azure.records.DatasetTags(dataset.workspace, dataset.name, dataset.version));
  const Json description = dataset.description.empty() ? Json(nullptr) : Json(dataset.description);
  const std::string created = FormatTimestamp(dataset.created);
  const Json latest = {{"datasetId", RegistrationId(dataset)},
                       {"versionId", std::to_string(dataset.version)},
                       {"savedDatasetId", ContentGuid(dataset.sha256)},
                       {"dataflow", DataflowJson(yaml)},
                       {"description", description},
                       {"tags", tags},
                       {"properties", Json::object()},
                       {"createdTime", created},
                       {"modifiedTime", created}};
  return Json{{"datasetId", RegistrationId(dataset)},
              {"name", dataset.name},
              {"datasetType", "tabular"},
              {"description", description},
              {"tags", tags},
              {"isVisible", true},
              {"createdTime", created},
              {"modifiedTime", created},
              {"latest", latest}};
}

Result<Json> EncodeSavedDataset(const Dataset& dataset) {
  MLPROF_LET(yaml, DatasetYaml(dataset));
  return Json{{"id", ContentGuid(dataset.sha256)},
              {"datasetType", "tabular"},
              {"properties", Json::object()},
              {"dataflow", DataflowJson(yaml)},
              {"dataflowJson", DataflowJson(yaml)}};
}

}  // namespace mlprof::server
