// One local connection, carried over a stream to the model's port.
#pragma once

#include <chrono>
#include <stop_token>

#include "server/runtime/forward/port_stream.h"

namespace mlprof::server {

/// Carries bytes between `client`, a connected Unix socket, and `stream` both ways; each end that
/// is closed is closed on the other side. Returns when both are, when one side is gone, when
/// nothing moved for `idle`, or soon after `stop`; the stream is closed then. Takes a second thread
/// while it runs; without one it returns at once.
void CarryClient(int client, PortStream& stream, std::chrono::milliseconds idle,
                 const std::stop_token& stop);

}  // namespace mlprof::server
