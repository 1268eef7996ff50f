// The one table between ErrorCode and HTTP's statuses: the server writes by it, the client reads by
// it. Pure.
#pragma once

#include "common/result/result.h"

namespace mlprof {

int HttpStatusOf(ErrorCode code);

/// A status that the table does not have is a fault of the caller's (kInvalidArgument) where it is
/// between 400 and 499, and the server's (kInternal) otherwise.
ErrorCode ErrorCodeOf(int http_status);

}  // namespace mlprof
