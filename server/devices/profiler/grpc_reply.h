// How a gRPC call ended, as HTTP/2 told it, and what that means for whoever asked for a trace.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "common/result/result.h"

namespace mlprof::server::profiler {

struct GrpcReply {
  bool heard = false;         // anything at all
  bool speaks_http2 = false;  // its first frame came, which is HTTP/2's settings
  int http_status = 0;
  std::string content_type;
  std::optional<int> status;  // grpc-status
  std::string message;        // grpc-message, decoded
  bool ended = false;         // the stream, by the server
};

/// What went wrong, in one sentence that says what to do; OK where nothing did. `who`: "HOST:PORT".
/// kConflict: another profile runs there. kInvalidArgument: that is no profiler server.
/// kUnavailable: the connection ended early, or the server is ending. kDeadlineExceeded, kTooLarge,
/// kInternal.
Status OutcomeOf(const GrpcReply& reply, const std::string& who);

}  // namespace mlprof::server::profiler
