// The requests that create the container in which packages are installed, and the one in which what
// they installed becomes an image. Pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "server/runtime/docker/pip_settings.h"
#include "server/runtime/runtime.h"

namespace mlprof::docker {

struct Preparation {
  std::string base_image_id;
  std::vector<std::string> packages;
  std::filesystem::path environment_file;  // on the host: PipSettings' variables as shell exports
  std::filesystem::path temporary_folder;  // on the host: its /tmp
  std::filesystem::path environment;       // on the host: what is installed
  PipSettings pip;
  Bytes memory;
  std::string instance_id;
};

/// Its root is read-only: what package code writes stays in the two folders.
Json PreparationSpec(const Preparation& preparation);

struct Keeping {
  std::string base_image_id;
  std::filesystem::path agent_binary;
  std::filesystem::path environment;  // on the host: what was installed
  Bytes bytes;
  std::int64_t files = 0;
  std::string instance_id;
};

/// Nothing of the image runs in it: the agent copies the environment into its root.
Json KeepingSpec(const Keeping& keeping);

/// What the image made of it says about itself.
Json EnvironmentImageConfig(const std::string& hash, const std::string& python);

}  // namespace mlprof::docker
