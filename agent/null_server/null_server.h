// A stand-in for a model that does nothing: answers every HTTP/1.1 request on 127.0.0.1 with 200
// and a short body, on kept connections, in one thread. It measures what the replay itself can do.
#pragma once

#include "common/result/result.h"

namespace mlprof::agent {

/// Serves until it is killed; returns only what kept it from that (the port is taken…).
Status ServeNothing(int port);

}  // namespace mlprof::agent
