#include "common/http/peer_group.h"

namespace mlprof {

PeerGroup PeerGroupOf(const net::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return PeerGroupOf(net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6()));
  }
  if (address.is_loopback()) return {};
  if (address.is_v4()) return {PeerGroup::Kind::kIpv4, address.to_v4().to_uint()};
  std::uint64_t prefix = 0;
  const auto bytes = address.to_v6().to_bytes();
  for (std::size_t i = 0; i < sizeof prefix; ++i) prefix = prefix << 8 | bytes[i];
  return {PeerGroup::Kind::kIpv6, prefix};
}

}  // namespace mlprof
