// The head of every row's request, built once from Start.
#pragma once

#include <cstddef>
#include <string>

#include "common/agent_protocol/messages.h"
#include "common/result/result.h"

namespace mlprof::agent {

class RequestHead {
 public:
  /// kInvalidArgument where method, path or a header could break out of its place, or where a
  /// header is one that the relay itself answers for.
  static Result<RequestHead> ForRows(const agent_protocol::Start& start);
  /// GET of the readiness path, "/" where there is none.
  static Result<RequestHead> ForReadiness(const agent_protocol::Start& start);

  /// Appends the whole head of a request with a body of `body_bytes`.
  void AppendTo(std::string& out, std::size_t body_bytes) const;
  bool is_head_request() const { return is_head_request_; }

 private:
  std::string fixed_;  // all lines but Content-Length
  bool is_head_request_ = false;
  bool announces_length_ = true;
};

}  // namespace mlprof::agent
