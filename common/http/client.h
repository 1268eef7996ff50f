// A small blocking HTTP/1.1 client for local daemons (Docker) over a Unix socket or loopback TCP.
// Every call has a deadline; one connection a call. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "common/http/message.h"
#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof {

struct UnixEndpoint {
  std::string path;
};
struct TcpEndpoint {
  std::string host;
  unsigned short port = 0;
};
using HttpEndpoint = std::variant<UnixEndpoint, TcpEndpoint>;

struct HttpCall {
  std::string method = "GET";
  std::string target = "/";
  HttpHeaders headers;  // Host is set where absent
  std::string body;
  Bytes max_response = MiB(16);
};

struct HttpReply {
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

/// Errors: kUnavailable (cannot connect, reset), kDeadlineExceeded, kTooLarge, kInternal (not
/// HTTP).
Result<HttpReply> CallHttp(const HttpEndpoint& endpoint, const HttpCall& call, Deadline deadline);

/// As CallHttp, but hands the response body of a 2xx on piece by piece; `on_chunk` returns false to
/// stop early (then the call succeeds with an empty body). A non-2xx body is buffered.
Result<HttpReply> StreamHttp(const HttpEndpoint& endpoint, const HttpCall& call,
                             const std::function<bool(std::string_view)>& on_chunk,
                             Deadline deadline);

/// As CallHttp with the request body streamed from a file (an image to import), with its length.
Result<HttpReply> UploadHttp(const HttpEndpoint& endpoint, const HttpCall& call,
                             const std::filesystem::path& body_file, Deadline deadline);

}  // namespace mlprof
