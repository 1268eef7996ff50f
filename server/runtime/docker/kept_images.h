// The images of environments that an installation keeps. Installations share an image of the same
// content under the one name that it is found by, mlprof-env:HASH; each that uses it gives it a
// name of its own besides, mlprof-env:HASH-INSTANCE, and an image goes with the last of these.
#pragma once

#include <vector>

#include "server/runtime/docker/docker_context.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::docker {

/// Gives it this installation's name, before it is used. kNotFound where there is none.
Status KeepImage(DockerContext& docker, const std::string& hash, const Patience& patience);

/// As Runtime::KeptImages.
Result<std::vector<KeptImage>> ListKeptImages(DockerContext& docker,
                                              const std::vector<PrepareRequest>& waiting,
                                              const Patience& patience);
/// As Runtime::RemoveImage.
Status RemoveKeptImage(DockerContext& docker, const KeptImage& image, const Patience& patience);

}  // namespace mlprof::server::docker
