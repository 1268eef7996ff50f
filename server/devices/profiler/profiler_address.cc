#include "server/devices/profiler/profiler_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "common/text/ascii.h"

namespace mlprof::server::profiler {
namespace {

constexpr std::size_t kLongestHost = 253;
constexpr std::size_t kMostAddresses = 4;

bool IsOfHost(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool IsIpv6(const std::string& host) {
  in6_addr ignored = {};
  return ::inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

std::string NumericHost(const addrinfo& found) {
  std::array<char, NI_MAXHOST> text = {};
  const int failed = ::getnameinfo(found.ai_addr, found.ai_addrlen, text.data(), text.size(),
                                   nullptr, 0, NI_NUMERICHOST);
  return failed == 0 ? std::string(text.data()) : "";
}

}  // namespace

std::string ProfilerAddress::Text() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ProfilerAddress> ParseProfilerAddress(const std::string& text) {
  const auto wrong = [&] {
    return Fail(InvalidArgument("'" + text + "' is no HOST:PORT, as 127.0.0.1:9012 or [::1]:9012"));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return wrong();
  ProfilerAddress address;
  address.host = Lowercase(text.substr(0, colon));
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, address.port);
  if (error != std::errc() || stop != end || address.port == 0) return wrong();
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
    return IsIpv6(address.host) ? Result<ProfilerAddress>(address) : wrong();
  }
  if (address.host.empty() || address.host.size() > kLongestHost ||
      !std::ranges::all_of(address.host, IsOfHost)) {
    return wrong();
  }
  return address;
}

Result<std::vector<TcpEndpoint>> Resolve(const ProfilerAddress& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failed = ::getaddrinfo(address.host.c_str(), nullptr, &hints, &list);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(list, &::freeaddrinfo);
  if (failed != 0) {
    return Fail(Unavailable("the name of " + address.Text() +
                            " cannot be looked up: " + ::gai_strerror(failed)));
  }
  std::vector<TcpEndpoint> endpoints;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    const std::string host = NumericHost(*one);
    if (!host.empty() && endpoints.size() < kMostAddresses) {
      endpoints.push_back({host, address.port});
    }
  }
  if (endpoints.empty()) {
    return Fail(Unavailable("the name of " + address.Text() + " has no IP address"));
  }
  return endpoints;
}

}  // namespace mlprof::server::profiler
