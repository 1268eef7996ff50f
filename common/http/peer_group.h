// The clients that share one allowance of connections: an IPv4 address, an IPv6 /64 (what one
// client is given), or this machine as a whole, which has a /8 of addresses.
#pragma once

#include <compare>
#include <cstdint>

#include "common/async/asio.h"

namespace mlprof {

struct PeerGroup {
  enum class Kind { kThisMachine, kIpv4, kIpv6 } kind = Kind::kThisMachine;
  std::uint64_t prefix = 0;  // the address, or the first 64 bits of it
  auto operator<=>(const PeerGroup&) const = default;
};

PeerGroup PeerGroupOf(const net::ip::address& address);

}  // namespace mlprof
