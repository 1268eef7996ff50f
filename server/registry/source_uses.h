// Who still needs a source.
#pragma once

#include <string>

#include "common/result/result.h"
#include "server/storage/connection.h"

namespace mlprof::server {

/// kConflict, naming them, while profiles that are not finished, or the inference configs that are
/// kept with models, name the source. `id`: "sha256:…". Part of the caller's transaction.
Status CheckSourceUnused(Connection& connection, const std::string& workspace,
                         const std::string& id);

}  // namespace mlprof::server
