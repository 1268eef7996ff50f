// Where the inputs of a container lie on this machine, whose folders Docker mounts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "server/runtime/content_input.h"

namespace mlprof::server::docker {

/// A folder of this machine that the container finds at `inside`, read-only.
struct LocalInput {
  std::filesystem::path here;
  std::string inside;
};

/// kInvalidArgument where the files of one lie in no folder of this machine.
Result<std::vector<LocalInput>> LocalInputs(const std::vector<ContentInput>& inputs);

}  // namespace mlprof::server::docker
