// How a place on the network is written: a host and a port, the URLs that name them, and IP
// addresses in every spelling. Pure.
#pragma once

#include <array>
#include <cstdint>
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

/// An IPv4 or IPv6 address, and whether it means "this very machine" to whoever connects there. One
/// form for every address: IPv4 that is written into IPv6 (mapped, compatible, NAT64, 6to4) is that
/// IPv4 address.
class IpAddress {
 public:
  /// The usual spelling of an address, IPv6 without brackets.
  static std::optional<IpAddress> Parse(std::string_view text);
  /// Also what the C library takes: "127.1", "0x7f.1", "2130706433".
  static std::optional<IpAddress> ParseAnySpelling(std::string_view text);
  static IpAddress V4(std::uint32_t address);
  static IpAddress V6(const std::array<unsigned char, 16>& bytes);

  bool IsV4() const;
  /// In network order, for a socket address. IPv4 stands in the last four.
  const std::array<unsigned char, 16>& bytes() const { return bytes_; }
  /// Loopback or unspecified: connecting there reaches this machine.
  bool IsLoopback() const;
  /// Of this link alone, or of many machines: never where packages come from.
  bool IsLinkLocalOrMulticast() const;
  bool operator==(const IpAddress&) const = default;

 private:
  std::array<unsigned char, 16> bytes_{};
};

/// What programs may read as a number instead of a name: its last label is one, maybe hexadecimal.
bool LooksNumeric(std::string_view host);

}  // namespace mlprof::server::environment
