// Blobs and parts of blobs as rows. Every call is part of the caller's transaction, which is a
// write transaction where something changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"
#include "server/storage/page.h"
#include "server/storage/statement.h"

namespace mlprof::server {

struct BlobName {
  std::string workspace;
  std::string container;
  std::string path;
};

struct Blob {
  std::string path;
  std::string sha256;
  Bytes size;
  Timestamp modified;
};

Result<std::optional<Blob>> FindBlob(Connection& connection, const BlobName& name);
/// In place of the one of that name.
Status SaveBlob(Connection& connection, const BlobName& name, const Blob& blob);
/// By path, those that start with `under.path`; the cursor is the path of the last one.
Result<Page<Blob>> ListBlobs(Connection& connection, const BlobName& under,
                             const PageRequest& page);
/// The digest of what was removed; nothing where there is no such blob.
Result<std::optional<std::string>> DeleteBlob(Connection& connection, const BlobName& name);
/// The blob `under.path` and those below it; the digests of what was removed.
Result<std::vector<std::string>> DeleteBlobs(Connection& connection, const BlobName& under);
/// Of one container in all workspaces, those last written before `when`. A damaged row stays: its
/// time may be what is damaged.
Result<std::vector<std::string>> DeleteBlobsBefore(Connection& connection,
                                                   const std::string& container, Timestamp when);

struct Block {
  std::string id;
  std::string sha256;
  Bytes size;
};
Status SaveBlock(Connection& connection, const BlobName& name, const Block& block, Timestamp now);
Result<std::optional<Block>> FindBlock(Connection& connection, const BlobName& name,
                                       const std::string& id);
Result<std::int64_t> CountBlocks(Connection& connection, const BlobName& name);
Result<std::vector<Block>> BlocksOf(Connection& connection, const BlobName& name);
Status DeleteBlocks(Connection& connection, const BlobName& name);
Result<std::vector<std::string>> DeleteBlocksBefore(Connection& connection, Timestamp when);

}  // namespace mlprof::server
