// The names and addresses a server's certificate is good for. Pure.
#pragma once

#include <string>
#include <vector>

namespace mlprof::server {

/// Each once, in the order they came.
struct ServerNames {
  std::vector<std::string> dns;        // lower case
  std::vector<std::string> addresses;  // IPv4 and IPv6, without brackets
};

/// Sorts hosts by what they are. What stands for no one host (0.0.0.0, ::) and what can be neither
/// name nor address is left out.
ServerNames NamesOf(const std::vector<std::string>& hosts);

}  // namespace mlprof::server
