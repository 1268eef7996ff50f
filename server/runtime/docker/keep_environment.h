// Makes an image of what a preparation installed, in a container in which nothing of the image
// runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/runtime/docker/prepare.h"

namespace mlprof::server::docker {

struct InstalledEnvironment {
  std::string hash;
  std::string base_image_id;
  std::vector<std::string> volumes;   // where the base image has some
  std::string python;                 // its version
  std::filesystem::path environment;  // on the host
  Bytes limit;                        // of what it may hold
};

/// kTooLarge where it holds more than its limit, or a disk of this machine has no room for it.
Status KeepEnvironment(const PrepareContext& context, const InstalledEnvironment& installed);

}  // namespace mlprof::server::docker
