// Makes a failed call to Docker readable: what was asked, what Docker answered, what to do.
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::server::docker {

/// Docker's response has a status that is no success. `body` is {"message": …} or text.
Error EngineRefused(std::string_view asked, int status, std::string_view body);

/// The message a streamed response of status 200 ended with.
Error EngineStreamFailed(std::string_view asked, std::string_view message);

/// No (whole) response came. Looks at the socket file to tell why.
Error EngineUnreachable(std::string_view asked, const std::string& socket, const Error& transport);

}  // namespace mlprof::server::docker
