// Turns an answer that is no success into an Error (RFC 9457 problem details where it carries
// them).
#pragma once

#include "client/include/mlprof/transport.h"
#include "common/result/error.h"

namespace mlprof::client {

Error ErrorOf(const RestResponse& response);

}  // namespace mlprof::client
