// An HTTP/1.1 server, plain and over TLS: strict framing gate, limits, deadlines, keep-alive,
// streamed uploads, SSE. Owns one I/O thread and a pool of workers for handlers.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/http/router.h"
#include "common/http/tls.h"
#include "common/result/result.h"

namespace mlprof {

/// A listener beside the plain one: the same routes and rules over TLS.
struct HttpTlsOptions {
  std::string address = "127.0.0.1";
  unsigned short port = 0;  // 0: any free one
  std::shared_ptr<const TlsContext> context;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  unsigned short port = 0;  // 0: any free one
  std::optional<HttpTlsOptions> tls;
  std::filesystem::path spool_directory;  // where uploads are streamed to
  int workers = 4;                        // fewer where the system gives no more threads
  int max_connections = 10'000;           // fewer where the limit of descriptors is low
  std::size_t max_header_bytes = 16 << 10;
  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(10);   // all of TLS's
  std::chrono::milliseconds header_timeout = std::chrono::seconds(15);      // first byte → last
  std::chrono::milliseconds body_stall_timeout = std::chrono::seconds(30);  // no byte of a body
  std::chrono::milliseconds write_timeout =
      std::chrono::seconds(60);                                       // no byte taken by the client
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(75);  // between requests
};

/// Why a connection was not served.
enum class TurnedAway {
  kIdle,         // it waited longest, and another one needed the place
  kBusy,         // all places are at work: a 503, or no word where even that is too much
  kDescriptors,  // the system gave no descriptor for it
};

/// Hooks the owner supplies; all but the last run on a worker thread and must be thread-safe. Each
/// may be empty.
struct HttpServerHooks {
  /// Before routing and before any body is read (Host, Origin, authorization): a response refuses.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> admit;
  /// Of an admitted request: whether it proves who the caller is. Connections of others are the
  /// first to make room for new ones, also while a body comes in or a response goes out. Empty:
  /// whatever is admitted does.
  std::function<bool(const HttpRequest&)> knows;
  /// Turns the server's own refusals (400, 404, 405, 408, 413, 414, 417, 431, 500, 501, 503, 505)
  /// into a response; the request may be empty where its header block was not understood.
  std::function<HttpResponse(int status, const std::string& detail, const HttpRequest&)> refuse;
  /// After each response, sent or broken off: route pattern ("" if none), method, status, seconds.
  std::function<void(const std::string& route, const std::string& method, int status,
                     double seconds)>
      served;
  /// On the I/O thread; must not block.
  std::function<void(TurnedAway)> turned_away;
};

class HttpServer {
 public:
  /// Binds and listens; kUnavailable with the reason where an address is taken or not allowed,
  /// kResourceExhausted where its threads cannot be started.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                   const Router& router, HttpServerHooks hooks);
  virtual ~HttpServer() = default;

  virtual unsigned short port() const = 0;
  /// 0 without a TLS listener.
  virtual unsigned short tls_port() const = 0;
  /// Stops accepting, ends idle connections and streams, lets responses in flight finish for up to
  /// `grace`, closes everything, waits for handlers that run. Never from a hook or a handler. A
  /// second call does nothing. The destructor stops without grace.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace mlprof
