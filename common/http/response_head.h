// The status line and fields of a response as bytes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/message.h"

namespace mlprof {

/// "Not Found" for 404; "" for what is not in the list of statuses.
std::string_view ReasonPhrase(int status);

/// How the body of a response is told from what follows it.
struct ResponseFraming {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool close = false;
};

/// The head, CRLFCRLF included. Connection and framing fields of `headers` are replaced by what
/// `framing` says; a field that would break the head open (CR, LF, NUL) is left out.
std::string ResponseHead(int status, const HttpHeaders& headers, const ResponseFraming& framing);

}  // namespace mlprof
