// How this server uses its Docker engine: from its options to the runtime's.
#pragma once

#include <filesystem>
#include <string>

#include "server/app/options.h"
#include "server/metrics/controller_metrics.h"
#include "server/rest/access.h"
#include "server/runtime/docker/docker_options.h"

namespace mlprof::server {

/// `metrics` and `access` are asked for as long as the runtime lives.
DockerOptions DockerSettings(const ServerOptions& options, const std::filesystem::path& data_dir,
                             std::string instance_id, ControllerMetrics& metrics,
                             const AccessRules& access);

}  // namespace mlprof::server
