// Version numbers, and who still needs a version of a model or dataset, or a source. Every call is
// part of the caller's transaction.
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

/// kConflict, naming them, while profiles that are not finished, or the inference configs that are
/// kept with models, name the source. `id`: "sha256:…".
Status CheckSourceUnused(Connection& connection, const std::string& workspace,
                         const std::string& id);

}  // namespace mlprof::server
