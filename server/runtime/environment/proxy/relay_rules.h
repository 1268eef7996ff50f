// Whom the preparing container may reach through a proxy of this machine. The proxy connects from
// here and so to services that take every local program for their user, this server among them:
// they must stay out of the container's reach however they are named. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/runtime/environment/proxy/endpoint.h"

namespace mlprof::server::environment {

/// What this machine is, and what its owner named.
struct RelayRules {
  std::vector<HostPort> named;            // where pip's configuration says packages are
  std::vector<unsigned short> own_ports;  // that this server listens on
  std::vector<IpAddress> own_addresses;   // of this machine
  std::vector<std::string> own_names;     // lower case
};

/// Whether a name means loopback without asking anybody.
bool IsLoopbackName(std::string_view host);
/// A name or an address, in any spelling, that is loopback or unspecified.
bool IsLoopbackHost(std::string_view host);

/// Why `target` may not be reached, as one plain sentence; nullopt where it may. `addresses` is
/// what its name means here; empty before it was looked up, and where that found nothing: the proxy
/// may know names that we do not. That it may know them differently is why only ports of packages
/// are let through at all.
std::optional<std::string> WhyRefused(const HostPort& target,
                                      const std::vector<IpAddress>& addresses,
                                      const RelayRules& rules);

}  // namespace mlprof::server::environment
