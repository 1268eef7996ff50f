#include "server/azure/routes/served_blobs.h"

#include <algorithm>

#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/blobs/blob_path.h"
#include "server/azure/datasets/dataset_import.h"
#include "server/azure/datasets/dataset_texts.h"
#include "server/registry/content_guid.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/verified_tree.h"

namespace mlprof::server {
namespace {

constexpr std::string_view kDatasets = "mlprof-datasets";
constexpr std::string_view kEnding = ".txt";
constexpr std::string_view kModels = "Model";

Error NothingThere(const BlobName& name) {
  return NotFound("there is no blob " + name.container + "/" + name.path);
}

Result<BlobContent> DatasetText(const AzureServices& azure, const BlobName& name) {
  std::string guid = name.path.substr(std::min(kDatasets.size() + 1, name.path.size()));
  if (!guid.ends_with(kEnding)) return Fail(NothingThere(name));
  guid.resize(guid.size() - kEnding.size());
  if (!DigestPrefix(guid)) return Fail(NothingThere(name));
  MLPROF_LET(dataset, azure.services.datasets.Get(name.workspace, guid));
  const auto text =
      azure.texts.Get(dataset.sha256, [&] { return azure.services.datasets.OpenRows(dataset); });
  if (!text) return Fail(AsFault(text.error()));
  BlobContent content;
  content.file = text->file;
  content.size = static_cast<std::uint64_t>(text->size.count());
  content.tag = dataset.sha256;
  content.modified = dataset.created;
  return content;
}

Result<BlobContent> ModelFile(const AzureServices& azure, const BlobName& name) {
  // ExperimentRun/Model/NAME:VERSION/PATH
  const std::string root = kArtifactRoot + std::string(kModels) + "/";
  const std::string rest = name.path.substr(std::min(root.size(), name.path.size()));
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos) return Fail(NothingThere(name));
  MLPROF_LET(model, azure.services.models.Get(name.workspace, rest.substr(0, slash)));
  MLPROF_LET(tree, azure.services.models.Files(model));
  // The tree holds files and folders only, no links, and the path has no dots.
  const std::filesystem::path file = tree / rest.substr(slash + 1);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return Fail(NothingThere(name));
  BlobContent content;
  content.size = std::filesystem::file_size(file, error);
  if (error) return Fail(NothingThere(name));
  content.file = std::make_shared<const std::filesystem::path>(file);
  content.tag = model.sha256;
  content.modified = model.created;
  return content;
}

}  // namespace

bool IsServedPath(const BlobName& name) {
  if (name.container == kDatastoreContainer) return IsAtOrBelow(name.path, kDatasets);
  return IsAtOrBelow(name.path, kArtifactRoot + std::string(kModels));
}

Result<BlobContent> ServedBlob(const AzureServices& azure, const BlobName& name) {
  if (std::string problem = CheckBlobPath(name.path); !problem.empty()) {
    return Fail(InvalidArgument("the path " + problem));
  }
  return name.container == kDatastoreContainer ? DatasetText(azure, name) : ModelFile(azure, name);
}

std::string DatasetBlobPath(const std::string& content_sha256) {
  return std::string(kDatasets) + "/" + ContentGuid(content_sha256) + std::string(kEnding);
}

std::string ModelArtifact(const Model& model) { return std::string(kModels) + "/" + model.id; }

Result<std::vector<std::string>> ModelFilePaths(const AzureServices& azure, const Model& model) {
  MLPROF_LET(tree, azure.services.models.Files(model));
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(tree, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error)) {
      paths.push_back(entry->path().lexically_relative(tree).generic_string());
    }
  }
  if (error) return Fail(FromErrno(error.value(), "listing the files of " + model.id));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace mlprof::server
