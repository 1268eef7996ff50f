// The blobs of Azure ML v1 clients: files by workspace, container and path, kept by content. What
// becomes a model, a dataset or a source is taken over from here into its registry. Thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/http/message.h"
#include "common/result/result.h"
#include "server/storage/azure_blobs.h"
#include "server/storage/page.h"

namespace mlprof::server {

class Connection;
class ContentStore;
class Database;

/// Azure's own limit of a blob.
inline constexpr std::size_t kMostBlocks = 50'000;

class BlobStore {
 public:
  BlobStore(Database& database, ContentStore& content) : database_(database), content_(content) {}

  enum class IfThere { kReplace, kRefuse };
  /// Takes the upload's file. kConflict where the blob is there and that is refused.
  Status Put(const BlobName& name, const SpooledBody& body, IfThere if_there);
  Status PutBlock(const BlobName& name, const std::string& id, const SpooledBody& body);
  /// Makes the blob of its blocks, in this order. kInvalidArgument for a block that did not come.
  Status Join(const BlobName& name, const std::vector<std::string>& block_ids, IfThere if_there);

  /// kNotFound.
  Result<Blob> Get(const BlobName& name);
  /// By path, those whose path starts with `under.path`; the cursor is the last one's path.
  Result<Page<Blob>> List(const BlobName& under, const PageRequest& page);
  /// The blob `under.path` and all below it, by path. kTooLarge for more than `most`.
  Result<std::vector<Blob>> AtOrBelow(const BlobName& under, std::size_t most);
  std::filesystem::path File(const Blob& blob) const;

  /// kNotFound.
  Status Remove(const BlobName& name);
  Status RemoveAtOrBelow(const BlobName& under);
  /// Parts and, in one container, blobs that nobody came back for.
  Status RemoveOlder(const std::string& container, Timestamp than);

 private:
  Status Commit(const BlobName& name, const std::filesystem::path& file, const Blob& blob,
                IfThere if_there);

  Database& database_;
  ContentStore& content_;
};

}  // namespace mlprof::server
