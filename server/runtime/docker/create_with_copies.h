// Creating a container that may write to folders of its image: Docker copies what the image holds
// there while it creates, which takes as long as that is large.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "common/time/patience.h"
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/disk/scratch_volume.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// What one call to create a container with these folders may take.
std::chrono::seconds CreateLimit(const std::vector<ScratchFolder>& folders);

/// CreateReplacingLeftover() within that limit. What is copied to `volume` is watched meanwhile and
/// the create given up where it meets a bound. kTooLarge where the image holds more at `folders`
/// than fits the volume, or than an engine that is well copies in time; kResourceExhausted where a
/// disk of this machine ran full.
Result<std::string> CreateWithCopies(DockerContext& context, const std::string& name,
                                     const Json& spec, const std::vector<ScratchFolder>& folders,
                                     const ScratchVolume& volume, const Patience& patience);

}  // namespace mlprof::server::docker
