// Version numbers and who still needs a version. Every call is part of the caller's transaction.
#pragma once

#include <string>

#include "common/result/result.h"
#include "server/storage/connection.h"

namespace mlprof::server {

/// `kind`: "model" or "dataset". Counts from 1 within workspace and name; no number comes twice,
/// not even after a delete.
Result<int> NextVersion(Connection& connection, const char* kind, const std::string& workspace,
                        const std::string& name);

/// kConflict, naming the profile, while one that is not finished uses the model or dataset.
Status CheckModelUnused(Connection& connection, const std::string& workspace,
                        const std::string& model_id);
Status CheckDatasetUnused(Connection& connection, const std::string& workspace,
                          const std::string& dataset_id);

}  // namespace mlprof::server
