// What the model may not ask the kernel for, on top of the engine's own filter: sockets of
// AF_VSOCK, which reach the hypervisor from a container without a network, and io_uring, whose
// requests no filter sees and where many a kernel fault has been. Newer engines refuse both by
// themselves.
#pragma once

#include "common/result/result.h"

namespace mlprof::agent {

/// For this process and all it starts, for good. Needs PR_SET_NO_NEW_PRIVS. No error where the
/// kernel knows no filters.
Status FilterSystemCalls();

}  // namespace mlprof::agent
