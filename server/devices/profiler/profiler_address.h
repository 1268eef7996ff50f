// Where a profiler server listens. Pure, but for the lookup of names.
#pragma once

#include <string>
#include <vector>

#include "common/http/client.h"
#include "common/result/result.h"

namespace mlprof::server::profiler {

struct ProfilerAddress {
  std::string host;  // a name in lower case, or an IP address without brackets
  unsigned short port = 0;

  /// "HOST:PORT", "[::1]:9012".
  std::string Text() const;
  bool operator==(const ProfilerAddress&) const = default;
};

/// kInvalidArgument with a sentence of what is wrong.
Result<ProfilerAddress> ParseProfilerAddress(const std::string& text);

/// The IP addresses of its name, in the order they are to be tried. Waits for the system's
/// resolver, which has limits of its own. kUnavailable where there is none.
Result<std::vector<TcpEndpoint>> Resolve(const ProfilerAddress& address);

}  // namespace mlprof::server::profiler
