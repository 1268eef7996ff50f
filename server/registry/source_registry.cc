#include "server/registry/source_registry.h"

#include "server/registry/archive_intake.h"
#include "server/registry/verified_tree.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/statement.h"
#include "server/storage/workspaces.h"

namespace mlprof {
namespace {

constexpr std::string_view kPrefix = "sha256:";

// "" for what is no id of a source.
std::string DigestOf(const std::string& id) {
  return id.starts_with(kPrefix) ? id.substr(kPrefix.size()) : "";
}

}  // namespace

SourceRegistry::SourceRegistry(Database& database, ContentStore& content)
    : database_(database), content_(content) {}

Result<std::string> SourceRegistry::Register(const std::string& workspace, const SpooledBody& tar,
                                             const IdempotencyKey& key) {
  auto archive = StagedArchive::Stage(content_, tar);
  if (!archive) return Fail(archive.error());
  const auto lock = content_.Lock();
  MLPROF_TRY(archive->Publish(content_));
  return database_.Write([&](Connection& connection) -> Result<std::string> {
    MLPROF_TRY(EnsureWorkspace(connection, workspace));
    auto before = FindKey(connection, workspace, key);
    if (!before) return Fail(before.error());
    if (*before) return std::move(**before);
    const std::string id = std::string(kPrefix) + archive->sha256();
    MLPROF_TRY(Statement(connection, R"sql(
      INSERT INTO sources (workspace, sha256, size_bytes, created_unix_ms, checksum)
      VALUES (:workspace, :sha256, :size, :now,
              row_checksum(:workspace, :sha256, :size, :now))
      ON CONFLICT (workspace, sha256) DO NOTHING)sql")
                   .Bind(":workspace", workspace)
                   .Bind(":sha256", archive->sha256())
                   .Bind(":size", archive->size().count())
                   .Bind(":now", Now())
                   .Run());
    MLPROF_TRY(SaveKey(connection, workspace, key, "source", id));
    return id;
  });
}

Result<bool> SourceRegistry::Exists(const std::string& workspace, const std::string& id) {
  return database_.Read([&](Connection& connection) {
    Statement row(connection, R"sql(
      SELECT 1 FROM sources WHERE workspace = :workspace AND sha256 = :sha256)sql");
    return row.Bind(":workspace", workspace).Bind(":sha256", DigestOf(id)).Step();
  });
}

Result<std::filesystem::path> SourceRegistry::VerifiedFiles(const std::string& workspace,
                                                            const std::string& id,
                                                            const std::stop_token& stop) {
  const Result<bool> known = Exists(workspace, id);
  if (!known) return Fail(known.error());
  if (!*known) return Fail(NotFound("there is no source \"" + id + "\""));
  return VerifiedTree(content_, DigestOf(id), "the source " + id, stop);
}

}  // namespace mlprof
