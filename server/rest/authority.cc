#include "server/rest/authority.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace mlprof::server {
namespace {

// Where the port starts, its colon included; npos where there is none.
std::size_t PortColon(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  const bool in_brackets = bracket != std::string_view::npos && colon < bracket;
  return in_brackets ? std::string_view::npos : colon;
}

}  // namespace

std::string WithPort(std::string_view authority, std::string_view scheme) {
  const bool has_port = PortColon(authority) != std::string_view::npos;
  return std::string(authority) + (has_port ? "" : scheme == "https" ? ":443" : ":80");
}

std::string HostOf(std::string_view authority) {
  return std::string(authority.substr(0, PortColon(authority)));
}

bool IsLoopbackHost(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

bool IsAddressHost(std::string_view host) {
  in_addr v4 = {};
  in6_addr v6 = {};
  if (host.starts_with('[') && host.ends_with(']')) {
    return ::inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &v6) == 1;
  }
  return ::inet_pton(AF_INET, std::string(host).c_str(), &v4) == 1;
}

bool IsLoopbackAddress(const std::string& address) {
  in_addr v4 = {};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6 = {};
  if (::inet_pton(AF_INET6, address.c_str(), &v6) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

}  // namespace mlprof::server
