// Inside a preparing container: a port on loopback whose connections are carried to a Unix socket
// of the controller. pip speaks to proxies over TCP alone.
#pragma once

#include <string>

#include "common/result/result.h"

namespace mlprof::agent {

/// Returns once the port listens; a process of its own then serves it until the container ends.
Status ForwardInBackground(int port, const std::string& socket);

}  // namespace mlprof::agent
