// The request that creates the container in which packages are installed. Pure.
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
  PipSettings pip;
  Bytes memory;
  std::string instance_id;
};

Json PreparationSpec(const Preparation& preparation);

/// What the image made of it says about itself.
Json EnvironmentImageConfig(const std::string& hash, const std::string& python);

}  // namespace mlprof::docker
