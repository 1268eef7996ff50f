#include "server/runtime/environment/proxy/relay_rules.h"

#include <algorithm>

namespace mlprof::server::environment {
namespace {

template <class Value>
bool Contains(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string TextOfRefusal(const HostPort& target, const std::string& why) {
  return "mlprof lends no proxy for " + TextOf(target) + ": " + why;
}

std::optional<std::string> WhyNotThisPort(const HostPort& target, const RelayRules& rules) {
  constexpr unsigned short kHttpPort = 80;
  constexpr unsigned short kHttpsPort = 443;
  if (Contains(rules.own_ports, target.port)) {
    return "mlprof-server itself listens on port " + std::to_string(target.port);
  }
  const bool usual = target.port == kHttpPort || target.port == kHttpsPort;
  const bool named = std::any_of(rules.named.begin(), rules.named.end(),
                                 [&](const HostPort& place) { return place.port == target.port; });
  if (usual || named) return std::nullopt;
  return "packages come from ports 80 and 443, and from others that pip's configuration of this "
         "machine names (index-url, extra-index-url, find-links)";
}

std::optional<std::string> WhyNotThisAddress(const IpAddress& address, bool named,
                                             const RelayRules& rules) {
  if (address.IsLoopback()) return "it is this machine's loopback";
  if (address.IsLinkLocalOrMulticast()) return "it is a link-local or multicast address";
  if (!named && Contains(rules.own_addresses, address)) return "it is this machine itself";
  return std::nullopt;
}

}  // namespace

bool IsLoopbackName(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "localhost.localdomain" ||
         host == "ip6-localhost" || host == "ip6-loopback";
}

bool IsLoopbackHost(std::string_view host) {
  if (IsLoopbackName(host)) return true;
  const auto address = IpAddress::ParseAnySpelling(host);
  return address && address->IsLoopback();
}

std::optional<std::string> WhyRefused(const HostPort& target,
                                      const std::vector<IpAddress>& addresses,
                                      const RelayRules& rules) {
  const bool named = Contains(rules.named, target);
  std::vector<IpAddress> known = addresses;
  const auto literal = IpAddress::Parse(target.host);
  if (literal) known.push_back(*literal);
  if (IsLoopbackHost(target.host)) return TextOfRefusal(target, "it is this machine's loopback");
  if (!literal && LooksNumeric(target.host)) {
    return TextOfRefusal(target, "it is an address in an unusual spelling");
  }
  if (!named && Contains(rules.own_names, target.host)) {
    return TextOfRefusal(target, "it is this machine itself");
  }
  for (const IpAddress& address : known) {
    if (const auto why = WhyNotThisAddress(address, named, rules))
      return TextOfRefusal(target, *why);
  }
  if (named) return std::nullopt;
  const auto why = WhyNotThisPort(target, rules);
  return why ? std::optional(TextOfRefusal(target, *why)) : std::nullopt;
}

}  // namespace mlprof::server::environment
