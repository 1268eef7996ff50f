// A token given to the server in a file (--token-file).
#pragma once

#include <filesystem>
#include <string>

#include "common/result/result.h"

namespace mlprof::server {

/// Its one line. kInvalidArgument where it cannot be read, others than its owner may read it, or
/// it is too short to be a secret.
Result<std::string> ReadTokenFile(const std::filesystem::path& file);

}  // namespace mlprof::server
