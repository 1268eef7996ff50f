#include "server/azure/datasets/dataset_import.h"

#include "server/azure/blobs/blob_path.h"
#include "server/azure/datasets/delimited_rows.h"
#include "server/registry/byte_source.h"
#include "server/registry/row_formats.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostDatasetFiles = 10'000;

Result<std::vector<Blob>> BlobsOf(BlobStore& blobs, const std::string& workspace,
                                  const std::string& path) {
  if (!HasGlob(path)) {
    return blobs.AtOrBelow({workspace, kDatastoreContainer, path}, kMostDatasetFiles);
  }
  std::vector<Blob> found;
  PageRequest request{1000, ""};
  const BlobName under{workspace, kDatastoreContainer, std::string(LiteralPrefix(path))};
  for (;;) {
    MLPROF_LET(page, blobs.List(under, request));
    for (Blob& blob : page.value) {
      if (MatchesGlob(blob.path, path)) found.push_back(std::move(blob));
    }
    if (found.size() > kMostDatasetFiles) {
      return Fail(ErrorCode::kTooLarge, "more than 10000 files fit " + path);
    }
    if (!page.next_cursor) return found;
    request.cursor = *page.next_cursor;
  }
}

}  // namespace

Result<Rows> ImportRows(BlobStore& blobs, const std::string& workspace, const Dataflow& dataflow) {
  std::vector<std::string> texts;
  Bytes total;
  for (const std::string& path : dataflow.paths) {
    MLPROF_LET(found, BlobsOf(blobs, workspace, path));
    if (found.empty()) {
      return Fail(
          InvalidArgument("there is nothing at " + path + " in the datastore " + kDatastoreName));
    }
    for (const Blob& blob : found) {
      total += blob.size;
      if (total > kMaxDatasetText) {
        return Fail(ErrorCode::kTooLarge, "the files of the dataset have more than " +
                                              std::to_string(kMaxDatasetText.count()) +
                                              " bytes together");
      }
      MLPROF_LET(text, ReadWholeFile(blobs.File(blob), blob.size, blob.path));
      texts.push_back(std::move(text));
    }
  }
  return ReadDelimited(texts, dataflow.format);
}

}  // namespace mlprof::server
