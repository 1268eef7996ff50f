#pragma once

#include <filesystem>

#include "common/result/result.h"

namespace mlprof::server {

/// Where the agent that models are started by lies, without links. kInvalidArgument, with what to
/// do, where there is no program.
Result<std::filesystem::path> FindAgentProgram(const std::filesystem::path& named);

}  // namespace mlprof::server
