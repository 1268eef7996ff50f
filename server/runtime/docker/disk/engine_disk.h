// The disks of this machine that a container can fill.
#pragma once

#include <filesystem>
#include <vector>

#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// A folder of the data directory's disk and, where it can be seen from here, of the disk Docker
/// keeps images and writable roots on. Asks the engine once.
std::vector<std::filesystem::path> DisksOf(DockerContext& context, const Patience& patience);

}  // namespace mlprof::server::docker
