// Files in which azureml-core keeps the answers of a server for ever, whatever its environment says
// later.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/cli/surroundings.h"

namespace mlprof::client::cli {

/// Those that are there and do not speak of the server at `authority` (HOST:PORT).
std::vector<std::filesystem::path> StaleCaches(const Surroundings& surroundings,
                                               const std::string& authority);

}  // namespace mlprof::client::cli
