// A small blocking HTTP/1.1 client for local daemons (Docker) over a Unix socket or loopback TCP.
// Every call has a deadline and may be stopped; one connection a call. Thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "common/http/message.h"
#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof {

struct UnixEndpoint {
  std::string path;
};
struct TcpEndpoint {
  std::string host;  // an address; of names only "localhost", whose lookup cannot block
  unsigned short port = 0;
};
using HttpEndpoint = std::variant<UnixEndpoint, TcpEndpoint>;

struct HttpCall {
  std::string method = "GET";
  std::string target = "/";
  HttpHeaders headers;  // Host is set where absent; Connection and Content-Length always
  std::string body;
  Bytes max_response = MiB(16);  // of a buffered body
};

struct HttpReply {
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

/// Errors: kUnavailable (cannot connect, reset, the reply ended early), kDeadlineExceeded,
/// kCancelled (by `stop`), kTooLarge, kInternal (not HTTP), kInvalidArgument (a call that cannot be
/// put into HTTP). Any status is a success here.
Result<HttpReply> CallHttp(const HttpEndpoint& endpoint, const HttpCall& call, Deadline deadline,
                           std::stop_token stop = {});

/// As CallHttp, but hands the response body of a 2xx on piece by piece as it comes, without limit;
/// `on_chunk` returns false to stop early (then the call succeeds with an empty body). A non-2xx
/// body is buffered.
Result<HttpReply> StreamHttp(const HttpEndpoint& endpoint, const HttpCall& call,
                             const std::function<bool(std::string_view)>& on_chunk,
                             Deadline deadline, std::stop_token stop = {});

/// As CallHttp with the request body streamed from a file (an image to import), with its length.
/// The reply is read meanwhile; one that is complete before the file is sent ends the call.
Result<HttpReply> UploadHttp(const HttpEndpoint& endpoint, const HttpCall& call,
                             const std::filesystem::path& body_file, Deadline deadline,
                             std::stop_token stop = {});

}  // namespace mlprof
