#include "server/registry/resource_uses.h"

#include <vector>

#include "server/storage/statement.h"

namespace mlprof::server {
namespace {

// Tables are read whole (NOT INDEXED): a damaged index could hide a use, and the version be
// deleted.
Status CheckUnused(Connection& connection, const char* sql, const std::string& workspace,
                   const std::string& id) {
  Statement row(connection, sql);
  const Result<bool> used = row.Bind(":workspace", workspace).Bind(":id", id).Step();
  if (!used) return Fail(used.error());
  if (!*used) return {};
  return Fail(Conflict(id + " is in use by the profile \"" + row.Text(0) +
                       "\"; wait for its end, or cancel it"));
}

}  // namespace

Result<int> NextVersion(Connection& connection, const char* kind, const std::string& workspace,
                        const std::string& name) {
  Statement row(connection, R"sql(
    INSERT INTO version_counters (kind, workspace, name, last_version)
    VALUES (:kind, :workspace, :name, 1)
    ON CONFLICT (kind, workspace, name) DO UPDATE SET last_version = last_version + 1
    RETURNING last_version)sql");
  const Result<bool> counted =
      row.Bind(":kind", kind).Bind(":workspace", workspace).Bind(":name", name).Step();
  if (!counted) return Fail(counted.error());
  const int version = static_cast<int>(row.Int(0));
  MLPROF_TRY(row.Run());
  return version;
}

Status CheckModelUnused(Connection& connection, const std::string& workspace,
                        const std::string& model_id) {
  return CheckUnused(connection, R"sql(
    SELECT name FROM profiles NOT INDEXED
    WHERE state IN ('Queued', 'Preparing', 'Starting', 'Profiling', 'Verifying')
      AND workspace = :workspace
      AND id IN (SELECT profile_id FROM profile_models WHERE +model_id = :id)
    LIMIT 1)sql",
                     workspace, model_id);
}

Status CheckDatasetUnused(Connection& connection, const std::string& workspace,
                          const std::string& dataset_id) {
  return CheckUnused(connection, R"sql(
    SELECT name FROM profiles NOT INDEXED
    WHERE state IN ('Queued', 'Preparing', 'Starting', 'Profiling', 'Verifying')
      AND workspace = :workspace
      AND (dataset_id = :id OR document ->> '$.objective.arrivals.trace' = :id)
    LIMIT 1)sql",
                     workspace, dataset_id);
}

namespace {

constexpr std::size_t kMostNamed = 5;

// Tables are read whole (NOT INDEXED): a damaged index could hide a use, and the source be deleted.
constexpr const char* kUsesSql = R"sql(
  SELECT 'the profile "' || name || '"' FROM profiles NOT INDEXED
  WHERE state IN ('Queued', 'Preparing', 'Starting', 'Profiling', 'Verifying')
    AND workspace = :workspace AND document ->> '$.inferenceConfig.sourceId' = :id
  UNION ALL
  SELECT 'the inference config of the model ' || name || ':' || version FROM models NOT INDEXED
  WHERE workspace = :workspace AND document ->> '$.inferenceConfig.sourceId' = :id)sql";

std::string Joined(const std::vector<std::string>& uses) {
  std::string text;
  const std::size_t named = std::min(uses.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "" : i + 1 == uses.size() ? " and " : ", ") + uses[i];
  }
  if (uses.size() > named) text += " and " + std::to_string(uses.size() - named) + " more";
  return text;
}

}  // namespace

Status CheckSourceUnused(Connection& connection, const std::string& workspace,
                         const std::string& id) {
  Statement rows(connection, kUsesSql);
  rows.Bind(":workspace", workspace).Bind(":id", id);
  std::vector<std::string> uses;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) break;
    uses.push_back(rows.Text(0));
  }
  if (uses.empty()) return {};
  return Fail(Conflict(id + " is in use by " + Joined(uses) +
                       "; wait for the end of such a profile, or cancel it; delete such a model, "
                       "or give it another inference config"));
}

}  // namespace mlprof::server
