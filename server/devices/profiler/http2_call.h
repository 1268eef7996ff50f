// One request and its response over HTTP/2 as bytes in and bytes out: who owns it reads and writes
// the connection. No I/O and no clock; one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "common/result/result.h"
#include "server/devices/profiler/grpc_message.h"
#include "server/devices/profiler/grpc_reply.h"

struct nghttp2_session;

namespace mlprof::server::profiler {

struct GrpcCall {
  std::string authority;  // "HOST:PORT"
  std::string path;       // "/package.Service/Method"
  std::string message;
  std::chrono::milliseconds timeout;  // told to the server, which gives up after it
};

class Http2Call {
 public:
  /// `into` must outlive it. kInternal where memory is short.
  static Result<std::unique_ptr<Http2Call>> Begin(const GrpcCall& call, GrpcMessage& into);
  virtual ~Http2Call() = default;

  /// What is to be sent, until the next call; "" for nothing now.
  virtual Result<std::string_view> Outgoing() = 0;
  /// What came. The error is that of the message, or kInternal; a violation of HTTP/2 is none: then
  /// IsOver().
  virtual Status Incoming(std::string_view bytes) = 0;
  /// Nothing will come any more; may become so by either.
  virtual bool IsOver() const = 0;
  virtual const GrpcReply& reply() const = 0;
};

}  // namespace mlprof::server::profiler
