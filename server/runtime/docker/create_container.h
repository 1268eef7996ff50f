// Creating a container under a deterministic name, and the folders that it may write to.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/disk/scratch_volume.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// The new container's id. A left-over of the same name and this installation (of a killed process,
/// or of a create whose response was lost) is removed first, and waited for where the engine is
/// still about to remove it; one of somebody else is kConflict.
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

// Creating a container that may write to folders of its image: Docker copies what the image holds
// there while it creates, which takes as long as that is large.

/// What one call to create a container with these folders may take.
std::chrono::seconds CreateLimit(const std::vector<ScratchFolder>& folders);

/// CreateReplacingLeftover() within that limit. What is copied to `volume` is watched meanwhile and
/// the create given up where it meets a bound. kTooLarge where the image holds more at `folders`
/// than fits the volume, or than an engine that is well copies in time; kResourceExhausted where a
/// disk of this machine ran full.
Result<std::string> CreateWithCopies(DockerContext& context, const std::string& name,
                                     const Json& spec, const std::vector<ScratchFolder>& folders,
                                     const ScratchVolume& volume, const Patience& patience);

/// Makes the folders that a container may write to, before it: writable for every uid.
Status MakeScratch(const std::vector<ScratchFolder>& folders);

/// Gives every uid access to what Docker copied in from the image: the model's uid is not the one
/// the image's files belong to. Call while nothing runs in the container. kTooLarge where the image
/// holds more than can be opened up in time.
Status OpenScratch(const std::vector<ScratchFolder>& folders, Deadline deadline);

}  // namespace mlprof::server::docker
