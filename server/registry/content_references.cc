#include "server/registry/content_references.h"

#include "common/log/log.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/file_digest.h"
#include "server/storage/row_checksum.h"
#include "server/storage/statement.h"

namespace mlprof {
namespace {

Result<std::map<std::string, std::string>> ReadReferences(Connection& connection) {
  Statement rows(connection, kReferencesSql);
  std::map<std::string, std::string> references;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return references;
    if (rows.Int(2) == 0) return Fail(DamagedRow(rows.Text(1)));
    references.emplace(rows.Text(0), rows.Text(1));
  }
}

Status FindMissing(ContentStore& content, const std::map<std::string, std::string>& references) {
  for (const auto& [sha256, owner] : references) {
    if (content.HasFile(sha256)) continue;
    const auto back = content.TakeBack(sha256);
    if (!back) return Fail(back.error());
    if (*back) {
      LogInfo("content was taken back from the quarantine", {{"of", owner}, {"sha256", sha256}});
    } else {
      LogError("contentMissing", {{"of", owner},
                                  {"file", content.FilePath(sha256).string()},
                                  {"todo", "restore the data directory, or register it again"}});
    }
  }
  return {};
}

Status QuarantineTheRest(ContentStore& content,
                         const std::map<std::string, std::string>& references, Timestamp now) {
  const auto digests = content.Digests();
  if (!digests) return Fail(digests.error());
  const auto batch = content.quarantine().NewBatch(now);
  int count = 0;
  Bytes size;
  for (const std::string& sha256 : *digests) {
    if (references.contains(sha256)) continue;
    const auto moved = content.MoveTo(batch, sha256);
    if (!moved) return Fail(moved.error());
    ++count;
    size += *moved;
  }
  if (count == 0) return {};
  LogWarn("content that no row refers to was moved into the quarantine",
          {{"count", count},
           {"size_bytes", size.count()},
           {"folder", batch.string()},
           {"kept_days", QuarantineLimits{}.kept.count() / 24}});
  return {};
}

}  // namespace

// A table WITHOUT ROWID may be read by an index in spite of NOT INDEXED, where that index has all
// columns that are asked for: none has those of a checksum.
const char* const kReferencesSql = R"sql(
  SELECT sha256, 'the model ' || name || ':' || version,
         checksum = row_checksum(workspace, name, version, sha256, tags, document)
  FROM models NOT INDEXED
  UNION ALL
  SELECT content_sha256, 'the dataset ' || name || ':' || version,
         checksum = row_checksum(workspace, name, version, description, row_count,
                                 distinct_row_count, size_bytes, content_sha256, created_unix_ms,
                                 row_form)
  FROM datasets NOT INDEXED
  UNION ALL
  SELECT sha256, 'the source sha256:' || sha256,
         checksum = row_checksum(workspace, sha256, size_bytes, created_unix_ms)
  FROM sources NOT INDEXED
  UNION ALL
  SELECT sha256, 'the blob ' || container || '/' || path,
         checksum = row_checksum(workspace, container, path, sha256, size_bytes, modified_unix_ms)
  FROM azure_blobs NOT INDEXED
  UNION ALL
  SELECT sha256, 'a block of the blob ' || container || '/' || path,
         checksum = row_checksum(workspace, container, path, block_id, sha256, size_bytes,
                                 created_unix_ms)
  FROM azure_blocks NOT INDEXED)sql";

Result<std::map<std::string, std::string>> ReferencedContent(Database& database) {
  return database.Read([](Connection& connection) { return ReadReferences(connection); });
}

Status RemoveUnreferenced(Database& database, ContentStore& content,
                          std::span<const std::string> digests) {
  if (digests.empty()) return {};
  // A commit that the disk refused may come back with the next start.
  MLPROF_TRY(database.Health());
  if (!database.checked()) {
    LogInfo("content stays for the next start, as the database is still being checked");
    return {};
  }
  const auto references = ReferencedContent(database);
  if (!references) return Fail(references.error());
  for (const std::string& sha256 : digests) {
    if (IsDigest(sha256) && !references->contains(sha256)) MLPROF_TRY(content.Remove(sha256));
  }
  return {};
}

Status ReconcileContent(Database& database, ContentStore& content, Timestamp now) {
  MLPROF_TRY(database.Health());
  const auto lock = content.Lock();
  const auto references = ReferencedContent(database);
  if (!references) return Fail(references.error());
  MLPROF_TRY(FindMissing(content, *references));
  MLPROF_TRY(QuarantineTheRest(content, *references, now));
  return content.quarantine().Prune(now);
}

}  // namespace mlprof
