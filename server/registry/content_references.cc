#include "server/registry/content_references.h"

#include <vector>

#include "common/log/log.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/file_digest.h"
#include "server/storage/row_checksum.h"
#include "server/storage/statement.h"

namespace mlprof::server {
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

using References = std::map<std::string, std::string>;

// What rows and content were at one moment.
struct Inventory {
  References references;
  std::vector<std::string> orphans;
  std::uint64_t ended_claims = 0;
};

Result<Inventory> TakeInventory(Database& database, ContentStore& content) {
  const auto lock = content.Lock();
  MLPROF_LET(references, ReferencedContent(database));
  MLPROF_LET(digests, content.Digests());
  std::erase_if(digests, [&](const std::string& sha256) { return references.contains(sha256); });
  return Inventory{std::move(references), std::move(digests), content.ended_claims()};
}

// Goes on where one file cannot be taken back: the others still are.
Status FindMissing(ContentStore& content, const References& references,
                   const std::stop_token& stop) {
  Status all;
  for (const auto& [sha256, owner] : references) {
    if (stop.stop_requested()) return Fail(Cancelled("the look for lost content was stopped"));
    if (content.HasFile(sha256)) continue;
    const auto back = content.TakeBack(sha256, stop);
    if (!back) {
      all = Fail(back.error().WithContext("taking back the content of " + owner));
    } else if (*back) {
      LogInfo("content was taken back from the quarantine", {{"of", owner}, {"sha256", sha256}});
    } else {
      LogError("contentMissing", {{"of", owner},
                                  {"file", content.FilePath(sha256).string()},
                                  {"todo", "restore the data directory, or register it again"}});
    }
  }
  return all;
}

// Takes the lock for this one file. Since the inventory the same content may have been uploaded:
// then it is claimed, or has a row by now, and stays.
Result<Bytes> MoveIfOrphan(Database& database, ContentStore& content, Inventory& inventory,
                           const std::filesystem::path& batch, const std::string& sha256) {
  const auto lock = content.Lock();
  MLPROF_TRY(database.Health());
  if (content.IsClaimed(sha256)) return Bytes(0);
  if (content.ended_claims() != inventory.ended_claims) {
    MLPROF_LET(references, ReferencedContent(database));
    inventory.references = std::move(references);
    inventory.ended_claims = content.ended_claims();
  }
  if (inventory.references.contains(sha256)) return Bytes(0);
  return content.MoveTo(batch, sha256);
}

// Gives the content that was moved; `status` says why some was not.
std::vector<OrphanContent> QuarantineOrphans(Database& database, ContentStore& content,
                                             Inventory& inventory, Timestamp now,
                                             const std::stop_token& stop, Status& status) {
  const auto batch = content.quarantine().NewBatch(now);
  std::vector<OrphanContent> all;
  Bytes size;
  for (const std::string& sha256 : inventory.orphans) {
    if (stop.stop_requested()) status = Fail(Cancelled("the look for lost content was stopped"));
    if (!status) break;
    const auto moved = MoveIfOrphan(database, content, inventory, batch, sha256);
    if (!moved) status = Fail(moved.error());
    if (!moved || *moved == Bytes(0)) continue;
    all.push_back({sha256, *moved});
    size += *moved;
  }
  if (all.empty()) return all;
  LogWarn("content that no row refers to was moved into the quarantine",
          {{"count", all.size()},
           {"size_bytes", size.count()},
           {"folder", batch.string()},
           {"kept_days", QuarantineLimits{}.kept.count() / 24}});
  return all;
}

Status CheckOrphansMayGo(Database& database) {
  if (database.checked()) return database.Health();
  return Fail(Unavailable("the database is still being checked"));
}

// All under the lock. A commit that the disk refused may be found to stand at the next start; its
// content must stay. Either its claim is still there, or the database's health tells of the
// failure.
Result<std::vector<std::filesystem::path>> TakeOutUnreferenced(
    Database& database, ContentStore& content, std::span<const std::string> digests) {
  const auto lock = content.Lock();
  MLPROF_TRY(database.Health());
  MLPROF_LET(references, ReferencedContent(database));
  std::vector<std::filesystem::path> all;
  for (const std::string& sha256 : digests) {
    if (!IsDigest(sha256) || references.contains(sha256) || content.IsClaimed(sha256)) continue;
    const auto taken_out = content.TakeOut(sha256);
    if (!taken_out) return taken_out;
    all.insert(all.end(), taken_out->begin(), taken_out->end());
  }
  return all;
}

}  // namespace

// SQLite may read a table WITHOUT ROWID through an index despite NOT INDEXED, if the index holds
// all columns that are asked for. The checksum's columns are asked for as well, which no index
// holds.
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
  SELECT sha256, 'the artifact ' || name || ' of the profile ' || profile_id,
         checksum = row_checksum(id, profile_id, kind, name, media_type, sha256, size_bytes,
                                 created_unix_ms)
  FROM profile_artifacts NOT INDEXED
  UNION ALL
  SELECT sha256, 'the capture sha256:' || sha256,
         checksum = row_checksum(workspace, sha256, size_bytes, created_unix_ms)
  FROM captures NOT INDEXED
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
  if (!database.checked()) {
    LogInfo("content stays for the next start, as the database is still being checked");
    return {};
  }
  MLPROF_LET(taken_out, TakeOutUnreferenced(database, content, digests));
  return content.Discard(taken_out);
}

void ForgetContent(Database& database, ContentStore& content,
                   std::span<const std::string> digests) {
  if (Status status = RemoveUnreferenced(database, content, digests); !status) {
    LogWarn("content left behind", {{"reason", status.error().message()}});
  }
}

Result<std::vector<OrphanContent>> FindOrphanContent(Database& database, ContentStore& content) {
  MLPROF_TRY(CheckOrphansMayGo(database));
  MLPROF_LET(inventory, TakeInventory(database, content));
  {
    const auto lock = content.Lock();
    std::erase_if(inventory.orphans,
                  [&](const std::string& sha256) { return content.IsClaimed(sha256); });
  }
  std::vector<OrphanContent> orphans;
  for (const std::string& sha256 : inventory.orphans) {
    const Bytes size = SizeOfTree(content.FilePath(sha256)) + SizeOfTree(content.TreePath(sha256));
    orphans.push_back({sha256, size});
  }
  return orphans;
}

Result<std::vector<OrphanContent>> QuarantineOrphanContent(Database& database,
                                                           ContentStore& content, Timestamp now,
                                                           const std::stop_token& stop) {
  MLPROF_TRY(CheckOrphansMayGo(database));
  MLPROF_LET(inventory, TakeInventory(database, content));
  Status status;
  auto moved = QuarantineOrphans(database, content, inventory, now, stop, status);
  MLPROF_TRY(status);
  return moved;
}

Status ReconcileContent(Database& database, ContentStore& content, Timestamp now,
                        const std::stop_token& stop) {
  MLPROF_TRY(database.Health());
  MLPROF_LET(inventory, TakeInventory(database, content));
  const Status found = FindMissing(content, inventory.references, stop);
  Status moved;
  QuarantineOrphans(database, content, inventory, now, stop, moved);
  MLPROF_TRY(content.PruneQuarantine(now));  // on a full disk, this is what makes room
  MLPROF_TRY(found);
  return moved;
}

}  // namespace mlprof::server
