// An HTTP/1.1 server: strict framing gate, limits, deadlines, keep-alive, streamed uploads, SSE.
// Owns one I/O thread and a pool of workers for handlers.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "common/http/router.h"
#include "common/result/result.h"

namespace mlprof {

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  unsigned short port = 0;                // 0: any free one
  std::filesystem::path spool_directory;  // where uploads are streamed to
  int workers = 4;
  int max_connections = 10'000;
  std::size_t max_header_bytes = 16 * 1024;
  std::chrono::seconds header_timeout{15};
  std::chrono::seconds body_stall_timeout{30};  // no byte of a body for so long
  std::chrono::seconds write_timeout{60};
  std::chrono::seconds idle_timeout{75};
};

/// Hooks the owner supplies; all run on a worker thread and must be thread-safe.
struct HttpServerHooks {
  /// Before routing and before any body is read (Host, Origin, authorization): a response refuses.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> admit;
  /// Turns the server's own refusals (400, 404, 405, 413, 431, 500, 503…) into a response body.
  std::function<HttpResponse(int status, const std::string& detail, const HttpRequest&)> refuse;
  /// After each response: route pattern ("" if none), method, status, seconds.
  std::function<void(const std::string& route, const std::string& method, int status,
                     double seconds)>
      served;
};

class HttpServer {
 public:
  /// Binds and listens; kUnavailable with the reason where the address is taken or not allowed.
  static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options, const Router& router,
                                                   HttpServerHooks hooks);
  virtual ~HttpServer() = default;

  virtual unsigned short port() const = 0;
  /// Stops accepting, lets answers in flight finish for up to `grace`, closes everything, joins.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace mlprof
