#include "server/devices/profiler/grpc_reply.h"

namespace mlprof::server::profiler {
namespace {

// The codes of gRPC that a profiler server, or gRPC itself within it, ends a call with.
enum GrpcCode {
  kOk = 0,
  kCancelled = 1,
  kDeadline = 4,
  kExhausted = 8,
  kUnimplemented = 12,
  kGrpcUnavailable = 14
};

constexpr std::size_t kLongestMessage = 500;

// There is no code for it: JAX and TensorFlow answer INTERNAL with these words.
bool IsBusy(const std::string& message) {
  return message.find("profiling session active") != std::string::npos ||
         message.find("profiler session active") != std::string::npos;
}

Error NoProfilerServer(const std::string& who, const std::string& why) {
  return InvalidArgument(who + " is no profiler server: " + why +
                         "; is it the port of jax.profiler.start_server(PORT) or "
                         "tf.profiler.experimental.server.start(PORT)?");
}

Status OfStatus(int status, const std::string& message, const std::string& who) {
  const std::string said = message.empty() ? "" : " (" + message.substr(0, kLongestMessage) + ")";
  if (IsBusy(message)) {
    return Fail(Conflict("another profile runs in the program at " + who +
                         ", and it can take one at a time: try again when that has ended"));
  }
  switch (status) {
    case kOk: return {};
    case kUnimplemented: return Fail(NoProfilerServer(who, "it does not know ProfilerService"));
    case kDeadline:
      return Fail(
          DeadlineExceeded(who + " gave no trace in time" + said + ": record for a shorter time"));
    case kExhausted:
      return Fail(ErrorCode::kTooLarge,
                  who + " could not send its trace" + said + ": record for a shorter time");
    case kCancelled:
    case kGrpcUnavailable:
      return Fail(Unavailable("the profiler server at " + who + " is ending" + said +
                              ": start the program again, then try again"));
    default:
      return Fail(Internal("the profiler server at " + who + " failed with gRPC status " +
                           std::to_string(status) + said + "; the program's log may say more"));
  }
}

}  // namespace

Status OutcomeOf(const GrpcReply& reply, const std::string& who) {
  if (!reply.heard) {
    return Fail(Unavailable(who +
                            " took the connection and closed it without a word: is the program "
                            "ending?"));
  }
  if (!reply.speaks_http2) return Fail(NoProfilerServer(who, "it does not speak HTTP/2"));
  if (reply.status) return OfStatus(*reply.status, reply.message, who);
  const bool grpc = reply.content_type.starts_with("application/grpc");
  if (reply.http_status != 0 && (reply.http_status != 200 || !grpc)) {
    return Fail(NoProfilerServer(
        who, "it answers with HTTP status " + std::to_string(reply.http_status) + ", not as gRPC"));
  }
  if (reply.ended) {
    return Fail(Internal("the profiler server at " + who + " ended its answer without a status"));
  }
  return Fail(Unavailable("the connection to " + who +
                          " was lost before the trace was whole: has the program ended?"));
}

}  // namespace mlprof::server::profiler
