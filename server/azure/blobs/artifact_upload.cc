#include "server/azure/blobs/artifact_upload.h"

#include <algorithm>
#include <string_view>

#include "server/azure/blobs/blob_path.h"
#include "server/azure/blobs/tar_file.h"
#include "server/azure/blobs/upload_file.h"
#include "server/storage/content_store.h"

namespace mlprof::server {
namespace {

Status AddPart(BlobStore& blobs, ContentStore& content, const SourcePart& part, TarFile& tar) {
  MLPROF_LET(blob, blobs.Get(part.artifact));
  if (!part.unpack) return tar.AddFile(part.name, blobs.File(blob));
  const RemovedAtEnd tree(content.NewIncomingPath());
  if (Status unpacked = UnpackInto(blobs.File(blob), tree.path()); !unpacked) {
    return Fail(unpacked.error().WithContext(part.name));
  }
  return tar.AddTree(tree.path());
}

}  // namespace

Result<BlobName> ArtifactName(const std::string& workspace, const std::string& artifact) {
  BlobName name{workspace, kArtifactContainer, kArtifactRoot + artifact};
  while (name.path.ends_with('/')) name.path.pop_back();
  // Two slashes: less would name everybody's uploads at once.
  const std::string_view below =
      std::string_view(name.path).substr(std::string_view(kArtifactRoot).size());
  if (std::count(below.begin(), below.end(), '/') < 2) {
    return Fail(InvalidArgument("an artifact is named as ORIGIN/CONTAINER/PATH"));
  }
  if (std::string problem = CheckBlobPath(name.path); !problem.empty()) {
    return Fail(InvalidArgument("an artifact's path " + problem));
  }
  return name;
}

Result<SpooledBody> ModelArchive(BlobStore& blobs, ContentStore& content, const BlobName& artifact,
                                 bool unpack) {
  MLPROF_LET(found, blobs.AtOrBelow(artifact, kMostArtifactFiles));
  if (found.empty()) {
    return Fail(NotFound("no file was put up at " + artifact.path + "; register it again"));
  }
  if (unpack && found.size() == 1) {
    const Blob& blob = found.front();
    return AsKept(blobs.File(blob), blob.size, blob.sha256);
  }
  // The last part of the artifact's path is the folder's, or the file's, own name.
  const std::size_t cut = artifact.path.rfind('/') + 1;
  const auto file = content.NewIncomingPath();
  const SpooledBody partial = AsUpload(file);
  MLPROF_LET(tar, TarFile::Create(file));
  for (const Blob& blob : found) {
    MLPROF_TRY(tar.AddFile(blob.path.substr(cut), blobs.File(blob)));
  }
  MLPROF_TRY(tar.Finish());
  return partial;
}

Result<SpooledBody> SourceArchive(BlobStore& blobs, ContentStore& content,
                                  const std::vector<SourcePart>& parts) {
  const auto file = content.NewIncomingPath();
  const SpooledBody partial = AsUpload(file);
  MLPROF_LET(tar, TarFile::Create(file));
  for (const SourcePart& part : parts) MLPROF_TRY(AddPart(blobs, content, part, tar));
  MLPROF_TRY(tar.Finish());
  return partial;
}

}  // namespace mlprof::server
