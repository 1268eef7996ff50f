// Responses as an agent gives them.
#pragma once

#include "common/agent_protocol/messages.h"

namespace mlprof::server {

inline agent_protocol::Response Ok(std::uint64_t id) {
  agent_protocol::Response response;
  response.id = id;
  response.http_status = 200;
  return response;
}

}  // namespace mlprof::server
