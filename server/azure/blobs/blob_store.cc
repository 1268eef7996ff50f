#include "server/azure/blobs/blob_store.h"

#include <fcntl.h>

#include <array>
#include <map>
#include <optional>

#include "common/hash/sha256.h"
#include "server/azure/blobs/blob_path.h"
#include "server/registry/byte_source.h"
#include "server/registry/content_references.h"
#include "server/registry/uncommitted_content.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/durable_file.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

constexpr Bytes kLargestBlob = GiB(16);
constexpr int kPage = 1000;

Error NoSuchBlob(const BlobName& name) {
  return NotFound("there is no blob " + name.container + "/" + name.path);
}

Error AlreadyThere(const BlobName& name) {
  return Conflict("the blob " + name.container + "/" + name.path + " is there already");
}

// Appends a block's file to `to`; its bytes go into `sha` as well. A block that changed since it
// came must not become a blob with a digest of its own.
Status Append(int to, Sha256& sha, const std::filesystem::path& file, const Block& block) {
  MLPROF_LET(opened, FileSource::Open(file));
  RecordingSource source(*opened, -1);
  std::vector<char> buffer(256 << 10);
  for (;;) {
    MLPROF_LET(got, source.Read(buffer));
    if (got == 0) break;
    const std::string_view bytes(buffer.data(), got);
    sha.Add(bytes);
    MLPROF_TRY(WriteAll(to, bytes));
  }
  if (source.Digest() == block.sha256) return {};
  return Fail(Internal("the stored block " + block.id + " is damaged; send it again"));
}

}  // namespace

Status BlobStore::Commit(const BlobName& name, const std::filesystem::path& file, const Blob& blob,
                         IfThere if_there) {
  UncommittedContent uncommitted(database_, content_, blob.sha256);
  MLPROF_TRY(content_.PutFile(file, uncommitted.claim()));
  std::vector<std::string> replaced;
  const auto save = [&](Connection& connection) -> Status {
    MLPROF_TRY(EnsureWorkspace(connection, name.workspace));
    MLPROF_LET(before, FindBlob(connection, name));
    if (before && if_there == IfThere::kRefuse) return Fail(AlreadyThere(name));
    if (before) replaced.push_back(before->sha256);
    MLPROF_LET(blocks, BlocksOf(connection, name));
    for (const Block& block : blocks) replaced.push_back(block.sha256);
    MLPROF_TRY(DeleteBlocks(connection, name));
    return SaveBlob(connection, name, blob);
  };
  MLPROF_TRY(database_.Write(save));
  uncommitted.Keep();
  ForgetContent(database_, content_, replaced);
  return {};
}

Status BlobStore::Put(const BlobName& name, const SpooledBody& body, IfThere if_there) {
  return Commit(name, *body.file, {name.path, body.sha256, body.size, Now()}, if_there);
}

Status BlobStore::PutBlock(const BlobName& name, const std::string& id, const SpooledBody& body) {
  UncommittedContent uncommitted(database_, content_, body.sha256);
  MLPROF_TRY(content_.PutFile(*body.file, uncommitted.claim()));
  std::vector<std::string> replaced;
  const auto save = [&](Connection& connection) -> Status {
    MLPROF_TRY(EnsureWorkspace(connection, name.workspace));
    MLPROF_LET(before, FindBlock(connection, name, id));
    if (before) replaced.push_back(before->sha256);
    MLPROF_LET(count, CountBlocks(connection, name));
    if (!before && static_cast<std::size_t>(count) >= kMostBlocks) {
      return Fail(ErrorCode::kTooLarge, "a blob may have 50000 blocks at most");
    }
    return SaveBlock(connection, name, {id, body.sha256, body.size}, Now());
  };
  MLPROF_TRY(database_.Write(save));
  uncommitted.Keep();
  ForgetContent(database_, content_, replaced);
  return {};
}

Status BlobStore::Join(const BlobName& name, const std::vector<std::string>& block_ids,
                       IfThere if_there) {
  const auto blocks =
      database_.Read([&](Connection& connection) { return BlocksOf(connection, name); });
  if (!blocks) return Fail(blocks.error());
  std::map<std::string, Block> by_id;
  for (const Block& block : *blocks) by_id[block.id] = block;
  const RemovedAtEnd joined(content_.NewIncomingPath());
  const FileDescriptor file(
      open(joined.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return Fail(FromErrno(errno, "creating " + joined.path().string()));
  Blob blob{name.path, "", Bytes(0), Now()};
  Sha256 sha;
  for (const std::string& id : block_ids) {
    const auto block = by_id.find(id);
    if (block == by_id.end()) {
      return Fail(InvalidArgument("the list names a block that did not come, or one twice"));
    }
    if (blob.size + block->second.size > kLargestBlob) {
      return Fail(ErrorCode::kTooLarge, "a blob may have 16 GiB at most");
    }
    MLPROF_TRY(Append(file.get(), sha, content_.FilePath(block->second.sha256), block->second));
    blob.size += block->second.size;
    by_id.erase(block);
  }
  blob.sha256 = sha.Hex();
  return Commit(name, joined.path(), blob, if_there);
}

Result<Blob> BlobStore::Get(const BlobName& name) {
  auto blob = database_.Read([&](Connection& connection) { return FindBlob(connection, name); });
  if (!blob) return Fail(blob.error());
  if (!*blob) return Fail(NoSuchBlob(name));
  return std::move(**blob);
}

Result<Page<Blob>> BlobStore::List(const BlobName& under, const PageRequest& page) {
  return database_.Read([&](Connection& connection) { return ListBlobs(connection, under, page); });
}

Result<std::vector<Blob>> BlobStore::AtOrBelow(const BlobName& under, std::size_t most) {
  std::vector<Blob> found;
  PageRequest request{kPage, ""};
  for (;;) {
    MLPROF_LET(page, List(under, request));
    for (Blob& blob : page.value) {
      if (IsAtOrBelow(blob.path, under.path)) found.push_back(std::move(blob));
    }
    if (found.size() > most) {
      return Fail(ErrorCode::kTooLarge,
                  "more than " + std::to_string(most) + " files lie below " + under.path);
    }
    if (!page.next_cursor) return found;
    request.cursor = *page.next_cursor;
  }
}

std::filesystem::path BlobStore::File(const Blob& blob) const {
  return content_.FilePath(blob.sha256);
}

Status BlobStore::Remove(const BlobName& name) {
  const auto digest =
      database_.Write([&](Connection& connection) { return DeleteBlob(connection, name); });
  if (!digest) return Fail(digest.error());
  if (!*digest) return Fail(NoSuchBlob(name));
  ForgetContent(database_, content_, {&**digest, 1});
  return {};
}

Status BlobStore::RemoveAtOrBelow(const BlobName& under) {
  const auto digests =
      database_.Write([&](Connection& connection) { return DeleteBlobs(connection, under); });
  if (!digests) return Fail(digests.error());
  ForgetContent(database_, content_, *digests);
  return {};
}

Status BlobStore::RemoveOlder(const std::string& container, Timestamp than) {
  const auto digests =
      database_.Write([&](Connection& connection) -> Result<std::vector<std::string>> {
        auto blobs = DeleteBlobsBefore(connection, container, than);
        if (!blobs) return blobs;
        MLPROF_LET(blocks, DeleteBlocksBefore(connection, than));
        blobs->insert(blobs->end(), blocks.begin(), blocks.end());
        return blobs;
      });
  if (!digests) return Fail(digests.error());
  ForgetContent(database_, content_, *digests);
  return {};
}

}  // namespace mlprof::server
