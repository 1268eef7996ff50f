// What is known of one forwarded stream. Guarded by ForwardStreams' lock, but for its number.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <optional>
#include <string>

#include "common/agent_protocol/forward_window.h"
#include "common/result/error.h"

namespace mlprof::server {

struct ForwardStream {
  ForwardStream(std::uint32_t number, int to_port) : id(number), port(to_port) {}

  const std::uint32_t id;
  const int port;
  std::condition_variable changed;
  agent_protocol::SendWindow send{0};  // the agent's first credit says that it is connected
  agent_protocol::ReceiveWindow receive{agent_protocol::kForwardWindow};
  std::string inbox;          // never more than a window
  bool connected = false;     // heard
  bool ended_there = false;   // heard
  bool ended_here = false;    // said
  bool closed_here = false;   // said, by its owner's wish
  std::optional<Error> over;  // the agent closed it, or the link ended
};

}  // namespace mlprof::server
