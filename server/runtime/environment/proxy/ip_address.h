// IPv4 and IPv6 addresses, and which of them mean "this very machine" to whoever connects there.
// Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mlprof::server::environment {

/// One form for every address: IPv4 that is written into IPv6 (mapped, compatible, NAT64, 6to4) is
/// that IPv4 address.
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
