#include "server/storage/comparison_repository.h"

#include "common/json/variants_json.h"
#include "server/storage/database.h"
#include "server/storage/profile_rows.h"
#include "server/storage/row_checksum.h"
#include "server/storage/statement.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

constexpr const char* kComparisonKind = "comparison";
// Written by this server, so only a bound against a damaged file.
constexpr JsonLimits kRequestLimits{.max_bytes = 64 << 20, .max_depth = 64, .max_nodes = 4'000'000};

Error NoSuchComparison(const std::string& name_or_id) {
  return NotFound("there is no comparison \"" + name_or_id + "\"");
}

// Columns: id, workspace, created_unix_ms, profile_ids, document, whether the checksum is right.
Result<ComparisonRecord> ReadComparison(const Statement& row) {
  ComparisonRecord record;
  record.id = row.Text(0);
  if (row.Int(5) == 0) return Fail(DamagedRow("the comparison " + record.id));
  record.workspace = row.Text(1);
  record.created = row.Time(2);
  MLPROF_LET(ids, ParseJson(row.Text(3)));
  for (const Json& id : ids) {
    if (id.is_string()) record.profile_ids.push_back(id.get<std::string>());
  }
  MLPROF_LET(document, ParseJson(row.Text(4), kRequestLimits));
  auto request = DecodeStoredRequest(document);
  if (!request) return Fail(request.error().WithContext("the stored comparison " + record.id));
  record.request = std::move(*request);
  if (record.profile_ids.size() != record.request.variants.size()) {
    return Fail(Internal("the stored comparison " + record.id + " has lost a profile"));
  }
  return record;
}

Result<std::optional<ComparisonRecord>> FindOne(Statement& row) {
  const Result<bool> found = row.Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  MLPROF_LET(record, ReadComparison(row));
  return std::move(record);
}

Result<std::optional<ComparisonRecord>> FindComparison(Connection& connection,
                                                       const std::string& workspace,
                                                       const std::string& name_or_id) {
  Statement row(connection, R"sql(
    SELECT id, workspace, created_unix_ms, profile_ids, document,
           checksum = row_checksum(id, workspace, name, created_unix_ms, profile_ids, document)
    FROM comparisons WHERE workspace = :workspace AND (id = :key OR name = :key)
    ORDER BY id = :key DESC LIMIT 1)sql");
  return FindOne(row.Bind(":workspace", workspace).Bind(":key", name_or_id));
}

Result<std::optional<ComparisonRecord>> FindComparisonOfKey(Connection& connection,
                                                            const std::string& workspace,
                                                            const IdempotencyKey& key) {
  MLPROF_LET(known, FindKey(connection, workspace, key));
  if (!known) return std::nullopt;
  auto earlier = FindComparison(connection, workspace, *known);
  if (earlier && !*earlier) return Fail(NoSuchComparison(*known));
  return earlier;
}

Status InsertComparison(Connection& connection, const ComparisonRecord& record) {
  MLPROF_TRY(Statement(connection, R"sql(
    INSERT INTO comparisons
      (id, workspace, name, created_unix_ms, profile_ids, document, checksum)
    VALUES (:id, :workspace, :name, :created, :profile_ids, :document,
            row_checksum(:id, :workspace, :name, :created, :profile_ids, :document)))sql")
                 .Bind(":id", record.id)
                 .Bind(":workspace", record.workspace)
                 .Bind(":name", record.request.base.name)
                 .Bind(":created", record.created)
                 .Bind(":profile_ids", DumpJson(record.profile_ids))
                 .Bind(":document", DumpJson(EncodeStoredRequest(record.request)))
                 .Run());
  for (const std::string& profile_id : record.profile_ids) {
    MLPROF_TRY(Statement(connection, R"sql(
      INSERT INTO comparison_variants (profile_id, comparison_id)
      VALUES (:profile_id, :comparison_id))sql")
                   .Bind(":profile_id", profile_id)
                   .Bind(":comparison_id", record.id)
                   .Run());
  }
  return {};
}

Result<CreatedComparison> CreateComparison(Connection& connection, const ComparisonRecord& record,
                                           const std::vector<Profile>& profiles,
                                           const IdempotencyKey& key) {
  MLPROF_TRY(EnsureWorkspace(connection, record.workspace));
  MLPROF_LET(before, FindComparisonOfKey(connection, record.workspace, key));
  if (before) return CreatedComparison{std::move(*before), true};
  MLPROF_LET(taken, FindComparison(connection, record.workspace, record.request.base.name));
  if (taken) {
    return Fail(Conflict("a comparison named \"" + record.request.base.name + "\" exists"));
  }
  for (const Profile& profile : profiles) MLPROF_TRY(AddProfile(connection, profile, false));
  MLPROF_TRY(InsertComparison(connection, record));
  MLPROF_TRY(SaveKey(connection, record.workspace, key, kComparisonKind, record.id));
  return CreatedComparison{record, false};
}

}  // namespace

Result<CreatedComparison> ComparisonRepository::Create(const ComparisonRecord& record,
                                                       const std::vector<Profile>& profiles,
                                                       const IdempotencyKey& key) {
  return database_.Write(
      [&](Connection& connection) { return CreateComparison(connection, record, profiles, key); });
}

Result<std::optional<ComparisonRecord>> ComparisonRepository::MadeBefore(
    const std::string& workspace, const IdempotencyKey& key) {
  return database_.Read(
      [&](Connection& connection) { return FindComparisonOfKey(connection, workspace, key); });
}

Result<ComparisonRecord> ComparisonRepository::Get(const std::string& workspace,
                                                   const std::string& name_or_id) {
  return database_.Read([&](Connection& connection) -> Result<ComparisonRecord> {
    MLPROF_LET(record, FindComparison(connection, workspace, name_or_id));
    if (!record) return Fail(NoSuchComparison(name_or_id));
    return std::move(*record);
  });
}

Result<Page<ComparisonRecord>> ComparisonRepository::List(const std::string& workspace,
                                                          const PageRequest& page) {
  MLPROF_LET(before, SequenceBefore(page));
  return database_.Read([&](Connection& connection) -> Result<Page<ComparisonRecord>> {
    Statement rows(connection, R"sql(
      SELECT id, workspace, created_unix_ms, profile_ids, document,
             checksum = row_checksum(id, workspace, name, created_unix_ms, profile_ids, document),
             sequence
      FROM comparisons WHERE workspace = :workspace AND sequence < :before
      ORDER BY sequence DESC LIMIT :limit)sql");
    rows.Bind(":workspace", workspace).Bind(":before", before).Bind(":limit", page.top + 1);
    PageOf<ComparisonRecord> records(page.top);
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row || !records.Takes(rows.Size(4))) return records.Take();
      MLPROF_LET(record, ReadComparison(rows));
      records.Add(std::move(record), rows.Int(6));
    }
  });
}

Result<std::optional<ComparisonRecord>> ComparisonRepository::OfProfile(
    const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<std::optional<ComparisonRecord>> {
    Statement row(connection, R"sql(
          SELECT id, workspace, created_unix_ms, profile_ids, document,
                 checksum = row_checksum(id, workspace, name, created_unix_ms, profile_ids,
                                         document)
          FROM comparisons
          WHERE id = (SELECT comparison_id FROM comparison_variants
                      WHERE profile_id = :profile_id))sql");
    return FindOne(row.Bind(":profile_id", profile_id));
  });
}

Status ComparisonRepository::Delete(const ComparisonRecord& record) {
  return database_.Write([&](Connection& connection) -> Status {
    MLPROF_TRY(ForgetKeys(connection, record.workspace, kComparisonKind, record.id));
    return Statement(connection, "DELETE FROM comparisons WHERE id = :id")
        .Bind(":id", record.id)
        .Run();
  });
}

}  // namespace mlprof::server
