// One request of a container through a proxy: read, judged, written anew with the proxy's login,
// and answered. Nothing a client says reaches the proxy but the one request that was let through,
// or a tunnel's bytes once the proxy has opened it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "common/os/unique_fd.h"
#include "server/runtime/environment/proxy/relay_rules.h"

namespace mlprof::server::environment {

/// A proxy that speaks plain HTTP, and who we are to it.
struct HttpProxy {
  HostPort place;
  std::string authorization;  // "Basic …"; "": it wants none
  bool operator==(const HttpProxy&) const = default;
};

struct RelayPolicy {
  /// As they are now; asked for every request, from any thread.
  std::function<RelayRules()> rules;
  /// What was refused, for people. From any thread.
  std::function<void(const std::string& why)> refused;
};

/// Serves `client` until its connection is over. Returns soon after `stop`.
void ServeRelayed(UniqueFd client, const HttpProxy& proxy, const RelayPolicy& policy,
                  std::stop_token stop);

}  // namespace mlprof::server::environment
