#include "server/runtime/environment/proxy/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "common/text/ascii.h"
#include "common/text/percent.h"

namespace mlprof::server::environment {
namespace {

constexpr std::size_t kLongestHost = 253;

bool ConsistsOf(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

bool IsName(std::string_view host) {
  return !host.empty() && host.front() != '.' && host.front() != '-' && host.back() != '.' &&
         host.find("..") == std::string_view::npos &&
         ConsistsOf(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_");
}

std::optional<unsigned short> ParsePort(std::string_view text) {
  unsigned short port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

unsigned short PortOf(std::string_view scheme) {
  if (scheme == "https") return 443;
  return scheme.starts_with("socks") ? 1080 : 80;
}

std::string DecodedOrAsWritten(std::string_view text) {
  return PercentDecode(text).value_or(std::string(text));
}

}  // namespace

std::string TextOf(const HostPort& place) {
  const bool v6 = place.host.find(':') != std::string::npos;
  return (v6 ? "[" + place.host + "]" : place.host) + ":" + std::to_string(place.port);
}

std::optional<HostPort> ParseHostPort(std::string_view text, unsigned short default_port) {
  HostPort place;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    place.host = Lowercase(text.substr(1, end - 1));
    rest = text.substr(end + 1);
    if (!ConsistsOf(place.host, "0123456789abcdef:.") ||
        place.host.find(':') == std::string::npos) {
      return std::nullopt;
    }
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    place.host = Lowercase(text.substr(0, end));
    rest = text.substr(end);
    if (place.host.ends_with('.')) place.host.pop_back();
    if (!IsName(place.host)) return std::nullopt;
  }
  if (place.host.size() > kLongestHost) return std::nullopt;
  place.port = default_port;
  if (rest.empty()) return place;
  const auto port = rest.front() == ':' ? ParsePort(rest.substr(1)) : std::nullopt;
  if (!port) return std::nullopt;
  place.port = *port;
  return place;
}

std::optional<UrlParts> ParseUrl(std::string_view url) {
  UrlParts parts;
  if (const std::size_t mark = url.find("://"); mark != std::string_view::npos) {
    parts.scheme = Lowercase(url.substr(0, mark));
    url.remove_prefix(mark + 3);
  }
  std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = authority.substr(0, at);
    const std::size_t colon = std::min(login.find(':'), login.size());
    parts.has_login = true;
    parts.user = DecodedOrAsWritten(login.substr(0, colon));
    if (colon < login.size()) parts.password = DecodedOrAsWritten(login.substr(colon + 1));
    authority.remove_prefix(at + 1);
  }
  const auto place = ParseHostPort(authority, PortOf(parts.scheme));
  if (!place) return std::nullopt;
  parts.place = *place;
  return parts;
}

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
