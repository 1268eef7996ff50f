// Where the server listens, and the URL under which others know it. Pure.
#pragma once

#include <string>

#include "common/result/result.h"

namespace mlprof::server {

/// An address to listen on, as --listen and --tls-listen name it.
struct ListenAddress {
  std::string address;      // IPv4 or IPv6, without brackets
  unsigned short port = 0;  // 0: any free one
  bool operator==(const ListenAddress&) const = default;
};

/// "ADDRESS:PORT", "[::1]:PORT" or "localhost:PORT". kInvalidArgument naming `flag`.
Result<ListenAddress> ParseListenAddress(const std::string& flag, const std::string& text);

bool IsLoopback(const ListenAddress& listen);
/// 0.0.0.0 or [::].
bool IsEveryAddress(const ListenAddress& listen);

/// "http://[::1]:8080", with the port that is really listened on.
std::string UrlOf(const std::string& scheme, const ListenAddress& listen, unsigned short port);
/// As UrlOf, but an address that this machine can reach: loopback for 0.0.0.0.
std::string ReachableUrlOf(const std::string& scheme, const ListenAddress& listen,
                           unsigned short port);

/// The URL under which other machines know a server (--public-url): "http://HOST[:PORT]" or https
/// in lower case, without a slash at the end. kInvalidArgument for anything else; a path is not
/// possible.
Result<std::string> ParsePublicUrl(const std::string& text);
/// "box.example" of "https://box.example:8443"; an IPv6 address stays in brackets.
std::string HostOfUrl(const std::string& url);

}  // namespace mlprof::server
