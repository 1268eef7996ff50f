#include "server/storage/migration.h"

#include <optional>
#include <string>
#include <vector>

#include "common/hash/sha256.h"
#include "server/storage/connection.h"
#include "server/storage/statement.h"

namespace mlprof::server {
namespace {

struct Applied {
  std::int64_t version;
  std::string checksum;
};

Result<bool> HasTable(Connection& connection, const char* sql) {
  return Statement(connection, sql).Step();
}

/// nullopt: the database has no schema_migrations.
Result<std::optional<std::vector<Applied>>> ReadApplied(Connection& connection) {
  const Result<bool> there = HasTable(connection, R"sql(
    SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations')sql");
  if (!there) return Fail(there.error());
  if (!*there) return std::nullopt;
  Statement rows(connection, "SELECT version, checksum FROM schema_migrations ORDER BY version");
  std::vector<Applied> applied;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return applied;
    applied.push_back({rows.Int(0), rows.Text(1)});
  }
}

Status Compare(const std::vector<Applied>& applied, std::span<const Migration> known) {
  if (!applied.empty() && applied.back().version > static_cast<std::int64_t>(known.size())) {
    return Fail(Internal("the database was written by a newer mlprof (schema " +
                         std::to_string(applied.back().version) + ", this one knows " +
                         std::to_string(known.size()) +
                         "); start that version, restore the backup from before it, or use "
                         "another data directory. Nothing was changed"));
  }
  for (std::size_t i = 0; i < applied.size(); ++i) {
    if (applied[i].version != known[i].version || applied[i].checksum != ChecksumOf(known[i])) {
      return Fail(Internal("migration " + std::to_string(known[i].version) + " (" + known[i].name +
                           ") is not the one this database was made with; use the mlprof that "
                           "made it, restore a backup, or use another data directory. Nothing was "
                           "changed"));
    }
  }
  return {};
}

Status Apply(Connection& writer, const Migration& migration) {
  MLPROF_LET(transaction, Transaction::BeginWrite(writer));
  MLPROF_TRY(writer.Execute(R"sql(
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      checksum TEXT NOT NULL,
      applied_at_unix_ms INTEGER NOT NULL
    ) STRICT)sql"));
  MLPROF_TRY(writer.Execute(migration.sql));
  MLPROF_TRY(Statement(writer, R"sql(
      INSERT INTO schema_migrations (version, name, checksum, applied_at_unix_ms)
      VALUES (:version, :name, :checksum, :now))sql")
                 .Bind(":version", migration.version)
                 .Bind(":name", migration.name)
                 .Bind(":checksum", ChecksumOf(migration))
                 .Bind(":now", Now())
                 .Run());
  return transaction.Commit();
}

}  // namespace

std::string ChecksumOf(const Migration& migration) { return Sha256Hex(migration.sql); }

Status CheckSchema(Connection& connection, std::span<const Migration> known) {
  MLPROF_LET(applied, ReadApplied(connection));
  if (applied) return Compare(*applied, known);
  const Result<bool> foreign = HasTable(connection, "SELECT 1 FROM sqlite_schema");
  if (!foreign) return Fail(foreign.error());
  if (*foreign) {
    return Fail(
        Internal("it is a database, but none of mlprof's; restore mlprof.db from a "
                 "backup, or use another data directory. Nothing was changed"));
  }
  return {};
}

Status Migrate(Connection& writer, std::span<const Migration> known) {
  MLPROF_LET(applied, ReadApplied(writer));
  const std::size_t done = applied ? applied->size() : 0;
  for (const Migration& migration : known.subspan(std::min(done, known.size()))) {
    if (Status status = Apply(writer, migration); !status) {
      return Fail(status.error().WithContext("migration " + std::to_string(migration.version) +
                                             " (" + migration.name + ")"));
    }
  }
  return {};
}

}  // namespace mlprof::server
