// Connects to a port on loopback without waiting.
#pragma once

#include "common/os/unique_fd.h"

namespace mlprof::agent {

enum class Loopback { kIpv4, kIpv6 };

/// A socket that is connected once it becomes writable and FailedConnect says so. None, with errno,
/// where it failed at once.
UniqueFd BeginConnect(Loopback address, int port);

/// Why a writable socket is not connected: an errno, or 0 where it is. A connection that met itself
/// is refused: where nobody listens, the kernel may choose the very port for the calling end.
int FailedConnect(int fd);

}  // namespace mlprof::agent
