// Answers as an agent gives them.
#pragma once

#include "common/agent_protocol/messages.h"

namespace mlprof::server {

inline agent_protocol::Answer Ok(std::uint64_t id) {
  agent_protocol::Answer answer;
  answer.id = id;
  answer.http_status = 200;
  return answer;
}

}  // namespace mlprof::server
