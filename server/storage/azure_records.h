// The small facts of Azure ML v1 clients that no native resource holds. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/domain/dataset.h"
#include "common/json/json.h"
#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "server/storage/database.h"

namespace mlprof::server {

/// What a model will be made of: the artifacts "ORIGIN/CONTAINER/PATH" at or below `prefix`.
struct AzureAsset {
  std::string id;
  std::string name;
  std::string prefix;
};

/// Of a dataset; its native resource has none.
using AzureTags = std::map<std::string, std::string>;
/// Part of the caller's transaction, which has the dataset's row.
Status SaveDatasetTags(Connection& connection, const Dataset& dataset, const AzureTags& tags);

class AzureRecords {
 public:
  explicit AzureRecords(Database& database) : database_(database) {}

  /// Makes the workspace where it is missing.
  Status UseWorkspace(const std::string& workspace);
  Status SaveAsset(const std::string& workspace, const AzureAsset& asset);
  Result<std::optional<AzureAsset>> FindAsset(const std::string& workspace, const std::string& id);

  /// Those saved before `when`.
  Status RemoveAssetsBefore(Timestamp when);

  Result<AzureTags> DatasetTags(const std::string& workspace, const std::string& name, int version);

  /// The containerResourceRequirements a profile was asked with; null where it came another way.
  Status SaveAsked(const std::string& profile_id, const Json& asked);
  Result<Json> Asked(const std::string& profile_id);

 private:
  Database& database_;
};

}  // namespace mlprof::server
