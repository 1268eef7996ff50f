// Artifacts (blobs that clients put up for models and scripts) as the tars that registries take.
#pragma once

#include <string>
#include <vector>

#include "common/http/message.h"
#include "common/result/result.h"
#include "server/azure/blobs/blob_store.h"

namespace mlprof::server {

class ContentStore;

/// The container of artifacts, and what their blobs' paths start with.
inline constexpr const char* kArtifactContainer = "azureml";
inline constexpr const char* kArtifactRoot = "ExperimentRun/";

/// As many as an archive may hold (TarLimits).
inline constexpr std::size_t kMostArtifactFiles = 100'000;

/// "LocalUpload/26…-c89d/mdir" as a blob's name. kInvalidArgument for a path that cannot be one.
Result<BlobName> ArtifactName(const std::string& workspace, const std::string& artifact);

/// The files at or below an artifact, a folder under its own name and a file at the root; with
/// `unpack` what the one archive holds. kNotFound where nothing was put up.
Result<SpooledBody> ModelArchive(BlobStore& blobs, ContentStore& content, const BlobName& artifact,
                                 bool unpack);

/// A file or an archive of a source.
struct SourcePart {
  std::string name;  // of the file at the source's root
  BlobName artifact;
  bool unpack = false;
};
Result<SpooledBody> SourceArchive(BlobStore& blobs, ContentStore& content,
                                  const std::vector<SourcePart>& parts);

}  // namespace mlprof::server
