// A host and a port, and how URLs name them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof::server::environment {

struct HostPort {
  std::string host;  // lower case, IPv6 without brackets, no dot at its end
  unsigned short port = 0;
  bool operator==(const HostPort&) const = default;
};

/// "host:port"; IPv6 in brackets.
std::string TextOf(const HostPort& place);

/// "HOST" or "HOST:PORT" as URLs have it. nullopt for anything that could be read in two ways: a
/// host of other characters than names and addresses have, an address in an unusual spelling's
/// punctuation, a port that is none.
std::optional<HostPort> ParseHostPort(std::string_view text, unsigned short default_port);

struct UrlParts {
  std::string scheme;  // lower case; "" where the text has none
  std::string user;    // percent-decoded, as the password is
  std::string password;
  bool has_login = false;
  HostPort place;  // with the scheme's own port where none is written
};
/// nullopt for what is no URL of a host. A proxy is often written without a scheme.
std::optional<UrlParts> ParseUrl(std::string_view url);

}  // namespace mlprof::server::environment
