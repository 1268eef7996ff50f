#include "server/storage/artifact_rows.h"

#include "server/storage/page.h"
#include "server/storage/row_checksum.h"

namespace mlprof::server {
namespace {

// Columns: id, kind, name, media_type, size_bytes, sha256, created_unix_ms, whether the checksum is
// right.
Result<Artifact> ReadArtifact(const Statement& row) {
  if (row.Int(7) == 0) return Fail(DamagedRow("the artifact " + row.Text(0)));
  return Artifact{row.Text(0),       row.Text(1), row.Text(2), row.Text(3),
                  Bytes(row.Int(4)), row.Text(5), row.Time(6)};
}

// Of the only row there can be, or is asked for.
Result<std::optional<Artifact>> OneArtifact(Statement& row) {
  const Result<bool> found = row.Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  MLPROF_LET(artifact, ReadArtifact(row));
  return std::move(artifact);
}

// The digest in the first column of the only row there can be.
Result<std::optional<std::string>> OneDigest(Statement& row) {
  const Result<bool> found = row.Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  std::string sha256 = row.Text(0);
  MLPROF_TRY(row.Run());
  return sha256;
}

}  // namespace

Result<std::optional<std::string>> SaveArtifact(Connection& connection,
                                                const std::string& profile_id,
                                                const Artifact& artifact) {
  Statement before(connection, R"sql(
    DELETE FROM profile_artifacts WHERE profile_id = :profile_id AND name = :name
    RETURNING sha256)sql");
  auto replaced = OneDigest(before.Bind(":profile_id", profile_id).Bind(":name", artifact.name));
  if (!replaced) return replaced;
  MLPROF_TRY(Statement(connection, R"sql(
    INSERT INTO profile_artifacts
      (id, profile_id, kind, name, media_type, sha256, size_bytes, created_unix_ms, checksum)
    VALUES (:id, :profile_id, :kind, :name, :media_type, :sha256, :size, :created,
            row_checksum(:id, :profile_id, :kind, :name, :media_type, :sha256, :size,
                         :created)))sql")
                 .Bind(":id", artifact.id)
                 .Bind(":profile_id", profile_id)
                 .Bind(":kind", artifact.kind)
                 .Bind(":name", artifact.name)
                 .Bind(":media_type", artifact.media_type)
                 .Bind(":sha256", artifact.sha256)
                 .Bind(":size", artifact.size.count())
                 .Bind(":created", artifact.created)
                 .Run());
  return replaced;
}

Result<std::optional<Artifact>> FindArtifact(Connection& connection, const std::string& profile_id,
                                             const std::string& id) {
  Statement row(connection, R"sql(
    SELECT id, kind, name, media_type, size_bytes, sha256, created_unix_ms,
           checksum = row_checksum(id, profile_id, kind, name, media_type, sha256, size_bytes,
                                   created_unix_ms)
    FROM profile_artifacts WHERE profile_id = :profile_id AND id = :id)sql");
  return OneArtifact(row.Bind(":profile_id", profile_id).Bind(":id", id));
}

Result<std::optional<Artifact>> FindArtifactByContent(Connection& connection,
                                                      const std::string& workspace,
                                                      const std::string& kind,
                                                      const std::string& sha256) {
  Statement row(connection, R"sql(
    SELECT a.id, a.kind, a.name, a.media_type, a.size_bytes, a.sha256, a.created_unix_ms,
           a.checksum = row_checksum(a.id, a.profile_id, a.kind, a.name, a.media_type, a.sha256,
                                     a.size_bytes, a.created_unix_ms)
    FROM profile_artifacts AS a JOIN profiles AS p ON p.id = a.profile_id
    WHERE p.workspace = :workspace AND a.kind = :kind AND a.sha256 = :sha256
    ORDER BY a.sequence DESC LIMIT 1)sql");
  return OneArtifact(row.Bind(":workspace", workspace).Bind(":kind", kind).Bind(":sha256", sha256));
}

Result<std::optional<Artifact>> FindArtifactBeside(Connection& connection,
                                                   const std::string& artifact_id,
                                                   const std::string& kind,
                                                   const std::string& name) {
  Statement row(connection, R"sql(
    SELECT id, kind, name, media_type, size_bytes, sha256, created_unix_ms,
           checksum = row_checksum(id, profile_id, kind, name, media_type, sha256, size_bytes,
                                   created_unix_ms)
    FROM profile_artifacts
    WHERE profile_id = (SELECT profile_id FROM profile_artifacts WHERE id = :id)
      AND kind = :kind AND name = :name)sql");
  return OneArtifact(row.Bind(":id", artifact_id).Bind(":kind", kind).Bind(":name", name));
}

Result<Page<Artifact>> ListArtifacts(Connection& connection, const std::string& profile_id,
                                     const PageRequest& page) {
  MLPROF_LET(before, SequenceBefore(page));
  Statement rows(connection, R"sql(
    SELECT id, kind, name, media_type, size_bytes, sha256, created_unix_ms,
           checksum = row_checksum(id, profile_id, kind, name, media_type, sha256, size_bytes,
                                   created_unix_ms),
           sequence
    FROM profile_artifacts WHERE profile_id = :profile_id AND sequence < :before
    ORDER BY sequence DESC LIMIT :limit)sql");
  rows.Bind(":profile_id", profile_id).Bind(":before", before).Bind(":limit", page.top + 1);
  PageOf<Artifact> artifacts(page.top);
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row || !artifacts.Takes(rows.Size(2))) return artifacts.Take();
    MLPROF_LET(artifact, ReadArtifact(rows));
    artifacts.Add(std::move(artifact), rows.Int(8));
  }
}

Result<std::optional<std::string>> DeleteArtifact(Connection& connection,
                                                  const std::string& profile_id,
                                                  const std::string& id) {
  Statement row(connection, R"sql(
    DELETE FROM profile_artifacts WHERE profile_id = :profile_id AND id = :id
    RETURNING sha256)sql");
  return OneDigest(row.Bind(":profile_id", profile_id).Bind(":id", id));
}

Result<std::vector<std::string>> DeleteArtifactsOf(Connection& connection,
                                                   const std::string& profile_id) {
  Statement rows(connection, R"sql(
    DELETE FROM profile_artifacts WHERE profile_id = :profile_id RETURNING sha256)sql");
  rows.Bind(":profile_id", profile_id);
  std::vector<std::string> digests;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return digests;
    digests.push_back(rows.Text(0));
  }
}

}  // namespace mlprof::server
