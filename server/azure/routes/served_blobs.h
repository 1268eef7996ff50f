// Blobs that nobody put up: what the registries hold, where these clients look for it. The rows of
// every dataset as a text, and the files of every model as artifacts.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/model.h"
#include "server/azure/azure_api.h"
#include "server/storage/azure_blobs.h"

namespace mlprof::server {

/// A blob's bytes with what is told of them.
struct BlobContent {
  std::shared_ptr<const std::filesystem::path> file;  // its owner, where it is made for this
  std::uint64_t size = 0;
  std::string tag;  // differs where the bytes do
  Timestamp modified;
};

/// Whether the registries alone say what lies there.
bool IsServedPath(const BlobName& name);
/// kNotFound.
Result<BlobContent> ServedBlob(const AzureServices& azure, const BlobName& name);

/// Where the rows of the dataset with this content are read.
std::string DatasetBlobPath(const std::string& content_sha256);

/// The artifact under which all files of a model lie: "Model/NAME:VERSION".
std::string ModelArtifact(const Model& model);
/// The paths of a model's files below its root, sorted.
Result<std::vector<std::string>> ModelFilePaths(const AzureServices& azure, const Model& model);

}  // namespace mlprof::server
