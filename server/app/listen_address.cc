#include "server/app/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

#include "server/rest/authority.h"

namespace mlprof::server {
namespace {

bool IsAddress(const std::string& text) {
  in6_addr ignored = {};
  return ::inet_pton(AF_INET, text.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &ignored) == 1;
}

}  // namespace

Result<ListenAddress> ParseListenAddress(const std::string& flag, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return Fail(InvalidArgument(flag + " wants ADDRESS:PORT, not " + text));
  }
  ListenAddress listen{text.substr(0, colon), 0};
  if (listen.address.starts_with('[') && listen.address.ends_with(']')) {
    listen.address = listen.address.substr(1, listen.address.size() - 2);
  }
  if (listen.address == "localhost") listen.address = "127.0.0.1";
  if (!IsAddress(listen.address)) {
    return Fail(
        InvalidArgument(flag + " wants an IP address or localhost, not '" + listen.address + "'"));
  }
  const std::string port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return Fail(InvalidArgument(flag + " wants a port from 0 to 65535, not " + port));
  }
  return listen;
}

bool IsLoopback(const ListenAddress& listen) { return IsLoopbackAddress(listen.address); }

bool IsEveryAddress(const ListenAddress& listen) {
  return listen.address == "0.0.0.0" || listen.address == "::";
}

std::string UrlOf(const std::string& scheme, const ListenAddress& listen, unsigned short port) {
  const bool v6 = listen.address.find(':') != std::string::npos;
  return scheme + "://" + (v6 ? "[" + listen.address + "]" : listen.address) + ":" +
         std::to_string(port);
}

std::string ReachableUrlOf(const std::string& scheme, const ListenAddress& listen,
                           unsigned short port) {
  return UrlOf(scheme, IsEveryAddress(listen) ? ListenAddress{"127.0.0.1", 0} : listen, port);
}

}  // namespace mlprof::server
