#include "server/app/public_url.h"

#include <charconv>

#include "common/text/case.h"
#include "server/rest/authority.h"
#include "server/tls/server_names.h"

namespace mlprof::server {
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
