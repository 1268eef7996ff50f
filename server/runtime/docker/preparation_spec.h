// The requests that create the container in which packages are installed, and the one in which what
// they installed becomes an image. Pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "common/result/result.h"
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/environment/pip_settings.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::docker {

struct Preparation {
  std::string base_image_id;
  std::vector<std::string> packages;
  std::filesystem::path environment_file;  // on the host: PipSettings' variables as shell exports
  std::vector<ScratchFolder> folders;      // PreparationFolders
  environment::PipSettings pip;
  Bytes memory;
  std::string instance_id;
};

/// What a preparation may write to, below `root`: /tmp, the environment, and the base image's
/// VOLUMEs. kInvalidArgument where one of these cannot be had.
Result<std::vector<ScratchFolder>> PreparationFolders(const std::vector<std::string>& volumes,
                                                      const std::filesystem::path& root);
std::filesystem::path EnvironmentBelow(const std::filesystem::path& root);

/// Its root is read-only: what package code writes stays in the folders.
Json PreparationSpec(const Preparation& preparation);

struct Keeping {
  std::string base_image_id;
  std::vector<std::string> volumes;  // where the base image has some
  std::filesystem::path agent_binary;
  std::filesystem::path environment;  // on the host: what was installed
  Bytes bytes;
  std::int64_t files = 0;
  std::string instance_id;
};

/// Nothing of the image runs in it: the agent copies the environment into its root.
Json KeepingSpec(const Keeping& keeping);

/// What the image made of it says about itself.
Json EnvironmentImageConfig(const std::string& hash, const std::string& python, Bytes size);

}  // namespace mlprof::server::docker
