// The runtime that this server was told to use, from its options.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "server/app/options.h"
#include "server/metrics/controller_metrics.h"
#include "server/rest/access.h"
#include "server/runtime/runtime.h"

namespace mlprof::server {

/// The agent's program: as it was told, else beside this one.
std::filesystem::path AgentProgramOf(const ServerOptions& options);

/// `metrics` and `access` are asked for as long as the runtime lives. Errors as of its factory.
Result<std::unique_ptr<Runtime>> MakeRuntime(const ServerOptions& options,
                                             const std::filesystem::path& data_dir,
                                             const std::string& instance_id,
                                             ControllerMetrics& metrics, const AccessRules& access);

}  // namespace mlprof::server
