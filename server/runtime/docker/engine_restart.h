// Whether what failed in a container is the container's own doing, or its engine's, which restarted
// meanwhile: then it says nothing about what ran in it.
#pragma once

#include <string>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/docker/engine.h"

namespace mlprof::server::docker {

/// True where the engine was started anew after the container had begun to run. False where the
/// engine does not say. Waits for it.
bool RestartedUnder(DockerEngine& engine, const std::string& container_id,
                    const Patience& patience);

/// The same error; kUnavailable where the engine does not answer or has restarted since it started
/// the container ("": it was asked to make none). A cancelled one stays what it is. Waits for a few
/// seconds at most.
Error UnlessEngineLeft(DockerEngine& engine, const std::string& container_id, const Error& error,
                       const std::stop_token& stop);

}  // namespace mlprof::server::docker
