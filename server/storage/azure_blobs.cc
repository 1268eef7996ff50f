#include "server/storage/azure_blobs.h"

#include "server/storage/row_checksum.h"

namespace mlprof::server {
namespace {

Statement& BindName(Statement& statement, const BlobName& name) {
  return statement.Bind(":workspace", name.workspace)
      .Bind(":container", name.container)
      .Bind(":path", name.path);
}

// Columns: path, sha256, size_bytes, modified_unix_ms, whether the checksum is right.
Result<Blob> ReadBlob(const Statement& row) {
  if (row.Int(4) == 0) return Fail(DamagedRow("the blob " + row.Text(0)));
  return Blob{row.Text(0), row.Text(1), Bytes(row.Int(2)), row.Time(3)};
}

// Columns: block_id, sha256, size_bytes, whether the checksum is right.
Result<Block> ReadBlock(const Statement& row) {
  if (row.Int(3) == 0) return Fail(DamagedRow("the block " + row.Text(0)));
  return Block{row.Text(0), row.Text(1), Bytes(row.Int(2))};
}

Result<std::vector<std::string>> Digests(Statement& rows) {
  std::vector<std::string> digests;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return digests;
    digests.push_back(rows.Text(0));
  }
}

}  // namespace

Result<std::optional<Blob>> FindBlob(Connection& connection, const BlobName& name) {
  Statement row(connection, R"sql(
    SELECT path, sha256, size_bytes, modified_unix_ms,
           checksum = row_checksum(workspace, container, path, sha256, size_bytes, modified_unix_ms)
    FROM azure_blobs
    WHERE workspace = :workspace AND container = :container AND path = :path)sql");
  const Result<bool> found = BindName(row, name).Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  return ReadBlob(row);
}

Status SaveBlob(Connection& connection, const BlobName& name, const Blob& blob) {
  Statement row(connection, R"sql(
    INSERT INTO azure_blobs
      (workspace, container, path, sha256, size_bytes, modified_unix_ms, checksum)
    VALUES (:workspace, :container, :path, :sha256, :size, :modified,
            row_checksum(:workspace, :container, :path, :sha256, :size, :modified))
    ON CONFLICT (workspace, container, path) DO UPDATE SET
      sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
      modified_unix_ms = excluded.modified_unix_ms, checksum = excluded.checksum)sql");
  return BindName(row, name)
      .Bind(":sha256", blob.sha256)
      .Bind(":size", blob.size.count())
      .Bind(":modified", blob.modified)
      .Run();
}

// Paths from the prefix up to the prefix and U+10FFFF, the highest character, so that the index is
// searched for this range alone; the prefix itself is compared as well.
Result<Page<Blob>> ListBlobs(Connection& connection, const BlobName& under,
                             const PageRequest& page) {
  Statement rows(connection, R"sql(
    SELECT path, sha256, size_bytes, modified_unix_ms,
           checksum = row_checksum(workspace, container, path, sha256, size_bytes, modified_unix_ms)
    FROM azure_blobs
    WHERE workspace = :workspace AND container = :container AND path > :after
      AND path >= :path AND path <= :path || char(1114111)
      AND substr(path, 1, length(:path)) = :path
    ORDER BY path LIMIT :limit)sql");
  BindName(rows, under).Bind(":after", page.cursor).Bind(":limit", page.top + 1);
  Page<Blob> blobs;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return blobs;
    if (std::ssize(blobs.value) == page.top) {
      blobs.next_cursor = blobs.value.back().path;
      return blobs;
    }
    MLPROF_LET(blob, ReadBlob(rows));
    blobs.value.push_back(std::move(blob));
  }
}

Result<std::vector<std::string>> DeleteBlobs(Connection& connection, const BlobName& under) {
  Statement rows(connection, R"sql(
    DELETE FROM azure_blobs
    WHERE workspace = :workspace AND container = :container
      AND path >= :path AND path <= :path || '/' || char(1114111)
      AND (path = :path OR substr(path, 1, length(:path) + 1) = :path || '/')
    RETURNING sha256)sql");
  BindName(rows, under);
  return Digests(rows);
}

Result<std::vector<std::string>> DeleteBlobsBefore(Connection& connection,
                                                   const std::string& container, Timestamp when) {
  Statement rows(connection, R"sql(
    DELETE FROM azure_blobs
    WHERE container = :container AND modified_unix_ms < :when
      AND checksum = row_checksum(workspace, container, path, sha256, size_bytes, modified_unix_ms)
    RETURNING sha256)sql");
  rows.Bind(":container", container).Bind(":when", when);
  return Digests(rows);
}

Result<std::optional<std::string>> DeleteBlob(Connection& connection, const BlobName& name) {
  Statement row(connection, R"sql(
    DELETE FROM azure_blobs
    WHERE workspace = :workspace AND container = :container AND path = :path
    RETURNING sha256)sql");
  const Result<bool> found = BindName(row, name).Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  const std::string sha256 = row.Text(0);
  MLPROF_TRY(row.Run());
  return sha256;
}

Status SaveBlock(Connection& connection, const BlobName& name, const Block& block, Timestamp now) {
  Statement row(connection, R"sql(
    INSERT INTO azure_blocks
      (workspace, container, path, block_id, sha256, size_bytes, created_unix_ms, checksum)
    VALUES (:workspace, :container, :path, :id, :sha256, :size, :now,
            row_checksum(:workspace, :container, :path, :id, :sha256, :size, :now))
    ON CONFLICT (workspace, container, path, block_id) DO UPDATE SET
      sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
      created_unix_ms = excluded.created_unix_ms, checksum = excluded.checksum)sql");
  return BindName(row, name)
      .Bind(":id", block.id)
      .Bind(":sha256", block.sha256)
      .Bind(":size", block.size.count())
      .Bind(":now", now)
      .Run();
}

Result<std::vector<Block>> BlocksOf(Connection& connection, const BlobName& name) {
  Statement rows(connection, R"sql(
    SELECT block_id, sha256, size_bytes,
           checksum = row_checksum(workspace, container, path, block_id, sha256, size_bytes,
                                   created_unix_ms)
    FROM azure_blocks
    WHERE workspace = :workspace AND container = :container AND path = :path)sql");
  BindName(rows, name);
  std::vector<Block> blocks;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return blocks;
    MLPROF_LET(block, ReadBlock(rows));
    blocks.push_back(std::move(block));
  }
}

Result<std::optional<Block>> FindBlock(Connection& connection, const BlobName& name,
                                       const std::string& id) {
  Statement row(connection, R"sql(
    SELECT block_id, sha256, size_bytes,
           checksum = row_checksum(workspace, container, path, block_id, sha256, size_bytes,
                                   created_unix_ms)
    FROM azure_blocks
    WHERE workspace = :workspace AND container = :container AND path = :path
      AND block_id = :id)sql");
  const Result<bool> found = BindName(row, name).Bind(":id", id).Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  return ReadBlock(row);
}

Result<std::int64_t> CountBlocks(Connection& connection, const BlobName& name) {
  Statement row(connection, R"sql(
    SELECT count(*) FROM azure_blocks
    WHERE workspace = :workspace AND container = :container AND path = :path)sql");
  const Result<bool> found = BindName(row, name).Step();
  if (!found) return Fail(found.error());
  return row.Int(0);
}

Status DeleteBlocks(Connection& connection, const BlobName& name) {
  Statement rows(connection, R"sql(
    DELETE FROM azure_blocks
    WHERE workspace = :workspace AND container = :container AND path = :path)sql");
  return BindName(rows, name).Run();
}

Result<std::vector<std::string>> DeleteBlocksBefore(Connection& connection, Timestamp when) {
  Statement rows(connection, R"sql(
    DELETE FROM azure_blocks
    WHERE created_unix_ms < :when
      AND checksum = row_checksum(workspace, container, path, block_id, sha256, size_bytes,
                                  created_unix_ms)
    RETURNING sha256)sql");
  rows.Bind(":when", when);
  return Digests(rows);
}

}  // namespace mlprof::server
