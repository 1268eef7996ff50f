// The options that say how long what grows is kept (server/retention/policy.h).
#pragma once

#include <string>

#include "common/result/result.h"

namespace mlprof::server {

struct ServerOptions;

// kInvalidArgument naming the flag. 0 is no limit.
Status SetImagesAge(ServerOptions& options, const std::string& value);
Status SetImagesSize(ServerOptions& options, const std::string& value);
Status SetSamplesAge(ServerOptions& options, const std::string& value);
Status SetSamplesSize(ServerOptions& options, const std::string& value);

}  // namespace mlprof::server
