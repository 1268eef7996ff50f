// Workspaces: made by their first use. And the id of the data directory as a whole.
#pragma once

#include <string>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server {

class Connection;
class Database;

/// Makes the workspace where it is missing; part of the caller's write transaction.
/// kInvalidArgument for a name that cannot be one.
Status EnsureWorkspace(Connection& connection, const std::string& workspace);
/// By name.
Result<std::vector<std::string>> ListWorkspaces(Database& database);
/// Made once with the database; labels this installation's containers.
Result<std::string> InstanceId(Database& database);

}  // namespace mlprof::server
