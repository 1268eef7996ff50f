// The few questions the doctor asks a Docker engine, over its Unix socket.
#pragma once

#include <string>

#include "common/json/json.h"
#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::cli {

/// The socket that DOCKER_HOST (may be "") names; kInvalidArgument where it is no Unix socket.
Result<std::string> DockerSocketPath(const std::string& docker_host);

/// The body of a 200 answer to GET `path`. kUnavailable with the reason else.
Result<std::string> DockerGet(const std::string& socket_path, const std::string& path,
                              const Deadline& deadline);

}  // namespace mlprof::cli
