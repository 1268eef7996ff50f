// Sources as rows.
#pragma once

#include <optional>
#include <string>

#include "common/domain/inference_config.h"
#include "common/result/result.h"
#include "server/storage/connection.h"

namespace mlprof::server {

/// kInvalidArgument with its pointer where the config names a source that the workspace does not
/// have. Part of the transaction that stores the config: one that is being deleted is seen in time.
Status CheckSourceExists(Connection& connection, const std::string& workspace,
                         const std::optional<InferenceConfig>& config);

}  // namespace mlprof::server
