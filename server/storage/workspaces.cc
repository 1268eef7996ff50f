#include "server/storage/workspaces.h"

#include "server/storage/database.h"
#include "server/storage/names.h"
#include "server/storage/statement.h"

namespace mlprof::server {

Status EnsureWorkspace(Connection& connection, const std::string& workspace) {
  if (!IsValidWorkspace(workspace)) {
    return Fail(InvalidArgument("\"" + workspace +
                                "\" cannot be a workspace: a name, or SUBSCRIPTION/GROUP/NAME"));
  }
  return Statement(connection, R"sql(
           INSERT INTO workspaces (name, created_unix_ms) VALUES (:name, :now)
           ON CONFLICT (name) DO NOTHING)sql")
      .Bind(":name", workspace)
      .Bind(":now", Now())
      .Run();
}

Result<std::vector<std::string>> ListWorkspaces(Database& database) {
  return database.Read([](Connection& connection) -> Result<std::vector<std::string>> {
    Statement rows(connection, "SELECT name FROM workspaces ORDER BY name");
    std::vector<std::string> names;
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) return names;
      names.push_back(rows.Text(0));
    }
  });
}

Result<std::string> InstanceId(Database& database) {
  return database.Read([](Connection& connection) -> Result<std::string> {
    Statement row(connection, "SELECT id FROM instance");
    const Result<bool> there = row.Step();
    if (!there) return Fail(there.error());
    if (!*there) return Fail(Internal("the database has lost its instance id"));
    return row.Text(0);
  });
}

}  // namespace mlprof::server
