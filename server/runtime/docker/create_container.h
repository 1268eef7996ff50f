// Creating a container under a deterministic name.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "common/time/patience.h"
#include "server/runtime/docker/disk/scratch_volume.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// The new container's id. A left-over of the same name and this installation (of a killed process,
/// or of a create whose answer was lost) is removed first; one of somebody else is kConflict.
/// `limit`: of each call that creates.
Result<std::string> CreateReplacingLeftover(DockerContext& context, const std::string& name,
                                            const Json& spec, const Patience& patience,
                                            std::chrono::seconds limit = std::chrono::seconds(30));

/// Docker finds no folder at a mount's source below `mounted`: it does not see what this process
/// mounts. Whatever else it does not find is missing for everybody.
bool IsUnseen(const Error& error, const std::filesystem::path& mounted);

/// kTooLarge, naming the limit.
Error TooLargeFor(const ScratchVolume& volume);

/// What a failed create says: kTooLarge, naming the limit, where what Docker copied from the image
/// filled `volume`; else the error itself.
Error CreateError(const Error& error, const ScratchVolume& volume);

}  // namespace mlprof::server::docker
