// Connects out to a Unix socket of the controller.
#pragma once

#include <string>

#include "common/os/unique_fd.h"
#include "common/result/result.h"

namespace mlprof::agent {

Result<UniqueFd> ConnectUnix(const std::string& path);

}  // namespace mlprof::agent
