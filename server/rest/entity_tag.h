// Entity tags (RFC 9110, 8.8.3): what a client has already need not be sent again. Pure.
#pragma once

#include <string>

#include "common/http/message.h"

namespace mlprof::server {

/// The strong tag of content with this digest.
std::string EntityTag(const std::string& sha256);
/// Whether If-None-Match names the tag, weakly or not, or all there are.
bool HasAlready(const HttpRequest& request, const std::string& tag);

}  // namespace mlprof::server
