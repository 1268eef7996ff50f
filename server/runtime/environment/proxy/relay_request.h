// What a container asks a proxy for, read strictly and written anew, so that the proxy never sees a
// byte that was not understood here. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"
#include "server/runtime/environment/proxy/endpoint.h"

namespace mlprof::server::environment {

inline constexpr std::size_t kLongestRelayHead = 16 << 10;

struct RelayRequest {
  bool tunnel = false;  // CONNECT
  HostPort target;
  std::string head;  // for the proxy: request line and headers, up to where its login goes
};

/// `head` ends with the empty line. kInvalidArgument for all but CONNECT and for GET and HEAD of an
/// absolute http:// URL, both without a body.
Result<RelayRequest> ParseRelayRequest(std::string_view head);

/// The status of a reply's head; 0 for what is none.
int StatusOf(std::string_view head);
/// Its reason phrase, without control characters.
std::string ReasonOf(std::string_view head);

}  // namespace mlprof::server::environment
