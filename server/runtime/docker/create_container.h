// Creating a container under a deterministic name.
#pragma once

#include <string>

#include "common/time/patience.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::docker {

/// The new container's id. A left-over of the same name and this installation (of a killed process,
/// or of a create whose answer was lost) is removed first; one of somebody else is kConflict.
Result<std::string> CreateReplacingLeftover(DockerContext& context, const std::string& name,
                                            const Json& spec, const Patience& patience);

/// Docker finds no folder where a mount has its source: it does not see this process's mounts.
bool IsUnseenFolder(const Error& error);

}  // namespace mlprof::docker
