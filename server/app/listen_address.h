// An address to listen on, as --listen and --tls-listen name it. Pure.
#pragma once

#include <string>

#include "common/result/result.h"

namespace mlprof::server {

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

}  // namespace mlprof::server
