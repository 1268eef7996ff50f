#include "server/app/server_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

#include "common/text/ascii.h"
#include "server/rest/authority.h"
#include "server/tls/server_names.h"

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

namespace {

bool IsHost(const std::string& host) {
  const ServerNames names = NamesOf({host});
  return names.dns.size() + names.addresses.size() == 1;
}

bool IsPort(const std::string& text) {
  unsigned short port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

std::string AuthorityOf(const std::string& url) { return url.substr(url.find("://") + 3); }

}  // namespace

Result<std::string> ParsePublicUrl(const std::string& text) {
  std::string url = Lowercase(text);
  if (url.ends_with('/')) url.pop_back();
  const bool known = url.starts_with("http://") || url.starts_with("https://");
  const std::string authority = known ? AuthorityOf(url) : "";
  const std::string host = HostOf(authority);
  const bool has_port = authority.size() > host.size();
  if (!IsHost(host) || (has_port && !IsPort(authority.substr(host.size() + 1)))) {
    return Fail(
        InvalidArgument("--public-url wants https://HOST[:PORT] without a path, not " + text));
  }
  return url;
}

std::string HostOfUrl(const std::string& url) { return HostOf(AuthorityOf(url)); }

}  // namespace mlprof::server
