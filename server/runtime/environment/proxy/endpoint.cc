#include "server/runtime/environment/proxy/endpoint.h"

#include <algorithm>
#include <charconv>

#include "common/text/case.h"
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

}  // namespace mlprof::server::environment
