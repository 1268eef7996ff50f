// The URL under which other machines know a server (--public-url). Pure.
#pragma once

#include <string>

#include "common/result/result.h"

namespace mlprof::server {

/// "http://HOST[:PORT]" or https in lower case, without a slash at the end. kInvalidArgument for
/// anything else; a path is not possible.
Result<std::string> ParsePublicUrl(const std::string& text);
/// "box.example" of "https://box.example:8443"; an IPv6 address stays in brackets.
std::string HostOfUrl(const std::string& url);

}  // namespace mlprof::server
