#include "server/runtime/environment/proxy/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace mlprof::server::environment {
namespace {

using Bytes16 = std::array<unsigned char, 16>;
constexpr std::size_t kV4At = 12;
constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::array<unsigned char, 12> kNat64 = {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};
constexpr std::array<unsigned char, 12> kCompatible = {};
constexpr Bytes16 kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

bool BeginsWith(const Bytes16& bytes, const std::array<unsigned char, 12>& prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

// Where in `bytes` the IPv4 address stands that they carry; 0: they carry none.
std::size_t EmbeddedV4(const Bytes16& bytes) {
  constexpr std::size_t k6to4At = 2;
  if (BeginsWith(bytes, kMapped) || BeginsWith(bytes, kNat64)) return kV4At;
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return k6to4At;
  return BeginsWith(bytes, kCompatible) && bytes != kLoopback ? kV4At : 0;
}

}  // namespace

IpAddress IpAddress::V4(std::uint32_t address) {
  IpAddress ip;
  std::copy(kMapped.begin(), kMapped.end(), ip.bytes_.begin());
  const std::uint32_t network = htonl(address);
  std::memcpy(ip.bytes_.data() + kV4At, &network, sizeof network);
  return ip;
}

IpAddress IpAddress::V6(const Bytes16& bytes) {
  IpAddress ip;
  ip.bytes_ = bytes;
  const std::size_t at = EmbeddedV4(bytes);
  if (at == 0) return ip;
  std::copy(kMapped.begin(), kMapped.end(), ip.bytes_.begin());
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 4, ip.bytes_.begin() + kV4At);
  return ip;
}

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  const std::string copy(text);
  in_addr v4{};
  if (::inet_pton(AF_INET, copy.c_str(), &v4) == 1) return V4(ntohl(v4.s_addr));
  Bytes16 v6{};
  if (::inet_pton(AF_INET6, copy.c_str(), v6.data()) == 1) return V6(v6);
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::ParseAnySpelling(std::string_view text) {
  in_addr v4{};
  if (LooksNumeric(text) && ::inet_aton(std::string(text).c_str(), &v4) != 0) {
    return V4(ntohl(v4.s_addr));
  }
  return Parse(text);
}

bool IpAddress::IsV4() const { return BeginsWith(bytes_, kMapped); }

bool IpAddress::IsLoopback() const {
  if (IsV4()) return bytes_[kV4At] == 127 || bytes_[kV4At] == 0;
  return bytes_ == kLoopback;
}

bool IpAddress::IsLinkLocalOrMulticast() const {
  if (IsV4()) {
    return (bytes_[kV4At] == 169 && bytes_[kV4At + 1] == 254) || bytes_[kV4At] >= 224;
  }
  return bytes_[0] == 0xff || (bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80);
}

bool LooksNumeric(std::string_view host) {
  const std::size_t dot = host.rfind('.');
  std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  std::string_view digits = "0123456789";
  if (last.starts_with("0x") || last.starts_with("0X")) {
    last.remove_prefix(2);
    digits = "0123456789abcdefABCDEF";
    if (last.empty()) return true;
  }
  return !last.empty() && last.find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace mlprof::server::environment
