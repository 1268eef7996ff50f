#include "server/storage/azure_records.h"

#include "server/storage/statement.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {

Status SaveDatasetTags(Connection& connection, const Dataset& dataset, const AzureTags& tags) {
  return Statement(connection, R"sql(
           INSERT INTO azure_dataset_tags (workspace, name, version, tags)
           VALUES (:workspace, :name, :version, :tags))sql")
      .Bind(":workspace", dataset.workspace)
      .Bind(":name", dataset.name)
      .Bind(":version", dataset.version)
      .Bind(":tags", DumpJson(tags))
      .Run();
}

Status AzureRecords::UseWorkspace(const std::string& workspace) {
  return database_.Write(
      [&](Connection& connection) { return EnsureWorkspace(connection, workspace); });
}

Status AzureRecords::SaveAsset(const std::string& workspace, const AzureAsset& asset) {
  return database_.Write([&](Connection& connection) -> Status {
    MLPROF_TRY(EnsureWorkspace(connection, workspace));
    return Statement(connection, R"sql(
             INSERT INTO azure_assets (workspace, id, name, prefix, created_unix_ms)
             VALUES (:workspace, :id, :name, :prefix, :now))sql")
        .Bind(":workspace", workspace)
        .Bind(":id", asset.id)
        .Bind(":name", asset.name)
        .Bind(":prefix", asset.prefix)
        .Bind(":now", Now())
        .Run();
  });
}

Result<std::optional<AzureAsset>> AzureRecords::FindAsset(const std::string& workspace,
                                                          const std::string& id) {
  return database_.Read([&](Connection& connection) -> Result<std::optional<AzureAsset>> {
    Statement row(connection, R"sql(
      SELECT id, name, prefix FROM azure_assets WHERE workspace = :workspace AND id = :id)sql");
    const Result<bool> found = row.Bind(":workspace", workspace).Bind(":id", id).Step();
    if (!found) return Fail(found.error());
    if (!*found) return std::nullopt;
    return AzureAsset{row.Text(0), row.Text(1), row.Text(2)};
  });
}

Status AzureRecords::RemoveAssetsBefore(Timestamp when) {
  return database_.Write([&](Connection& connection) {
    return Statement(connection, "DELETE FROM azure_assets WHERE created_unix_ms < :when")
        .Bind(":when", when)
        .Run();
  });
}

Result<AzureTags> AzureRecords::DatasetTags(const std::string& workspace, const std::string& name,
                                            int version) {
  return database_.Read([&](Connection& connection) -> Result<AzureTags> {
    Statement row(connection, R"sql(
      SELECT tags FROM azure_dataset_tags
      WHERE workspace = :workspace AND name = :name AND version = :version)sql");
    const Result<bool> found =
        row.Bind(":workspace", workspace).Bind(":name", name).Bind(":version", version).Step();
    if (!found) return Fail(found.error());
    if (!*found) return AzureTags();
    const auto json = ParseJson(row.Text(0));
    if (!json) return Fail(Internal("stored tags: " + json.error().message()));
    return json->get<AzureTags>();
  });
}

Status AzureRecords::SaveAsked(const std::string& profile_id, const Json& asked) {
  return database_.Write([&](Connection& connection) {
    return Statement(connection, R"sql(
             INSERT OR REPLACE INTO azure_asked_resources (profile_id, document)
             VALUES (:profile_id, :document))sql")
        .Bind(":profile_id", profile_id)
        .Bind(":document", DumpJson(asked))
        .Run();
  });
}

Result<Json> AzureRecords::Asked(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<Json> {
    Statement row(connection,
                  "SELECT document FROM azure_asked_resources WHERE profile_id = :profile_id");
    const Result<bool> found = row.Bind(":profile_id", profile_id).Step();
    if (!found) return Fail(found.error());
    return *found ? ParseJson(row.Text(0)) : Result<Json>(Json(nullptr));
  });
}

}  // namespace mlprof::server
