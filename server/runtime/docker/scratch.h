// The folders that a container may write to, made before it.
#pragma once

#include <filesystem>
#include <vector>

#include "common/result/result.h"
#include "server/runtime/docker/container_spec.h"

namespace mlprof::server::docker {

/// Makes the folders, writable for every uid.
Status MakeScratch(const std::vector<ScratchFolder>& folders);

/// Gives every uid access to what Docker copied in from the image: the model's uid is not the one
/// the image's files belong to. Call while nothing runs in the container. kTooLarge where the image
/// holds more than can be opened up in time.
Status OpenScratch(const std::vector<ScratchFolder>& folders, Deadline deadline);

}  // namespace mlprof::server::docker
