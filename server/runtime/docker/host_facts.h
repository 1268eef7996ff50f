// The machine that the engine and all its containers run on, and its disks that they can fill.
#pragma once

#include <filesystem>
#include <vector>

#include "common/domain/profile.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// As the engine describes it now, which is work for it.
Result<HostFacts> AskForHost(DockerContext& context, const Patience& patience);

/// As the engine described it last; asks where it never has.
Result<HostFacts> KnownHost(DockerContext& context, const Patience& patience);

/// The disks of this machine that a container can fill: a folder of the data directory's disk and,
/// where it can be seen from here, of the disk Docker keeps images and writable roots on. Asks the
/// engine once.
std::vector<std::filesystem::path> DisksOf(DockerContext& context, const Patience& patience);

}  // namespace mlprof::server::docker
