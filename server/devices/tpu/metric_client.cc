#include "server/devices/tpu/metric_client.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "server/devices/profiler/http2_call.h"

namespace mlprof::server::tpu {
namespace {

constexpr Bytes kMostAnswer = MiB(1);
constexpr const char* kAuthority = "localhost:8431";
constexpr std::size_t kLongestMessage = 200;

// Codes with which gRPC says that a method or a metric is not there.
enum GrpcCode { kOk = 0, kInvalid = 3, kNotThere = 5, kUnimplemented = 12, kNotNow = 14 };

Status SendAll(PortStream& stream, profiler::Http2Call& call, Deadline deadline) {
  while (true) {
    MLPROF_LET(more, call.Outgoing());
    if (more.empty()) return {};
    MLPROF_TRY(stream.Write(more, deadline));
  }
}

Status Exchange(PortStream& stream, profiler::Http2Call& call, Deadline deadline) {
  while (!call.IsOver()) {
    MLPROF_TRY(SendAll(stream, call, deadline));
    if (call.IsOver()) break;
    MLPROF_LET(came, stream.Read(deadline));
    if (came.empty()) return {};  // its end: the reply says of what
    MLPROF_TRY(call.Incoming(came));
  }
  return {};
}

Status OutcomeOf(const profiler::GrpcReply& reply, std::string_view metric) {
  if (!reply.heard) return Fail(Unavailable("the metric service closed the connection"));
  if (!reply.speaks_http2) {
    return Fail(InvalidArgument("what listens on the metric service's port does not speak gRPC"));
  }
  const bool grpc = reply.content_type.starts_with("application/grpc");
  if (!reply.status && reply.http_status != 0 && !grpc) {
    return Fail(InvalidArgument("what listens on the metric service's port answers with HTTP " +
                                std::to_string(reply.http_status) + ", not as gRPC"));
  }
  if (!reply.status) return Fail(Unavailable("the connection to the metric service was lost"));
  const std::string said =
      reply.message.empty() ? "" : ": " + reply.message.substr(0, kLongestMessage);
  switch (*reply.status) {
    case kOk: return {};
    case kInvalid:
    case kNotThere:
    case kUnimplemented:
      return Fail(NotFound("this libtpu does not tell " + std::string(metric) + said));
    case kNotNow: return Fail(Unavailable("the metric service is not available" + said));
    default:
      return Fail(Internal("the metric service failed with gRPC status " +
                           std::to_string(*reply.status) + said));
  }
}

}  // namespace

Result<std::vector<MetricValue>> MetricClient::Get(std::string_view metric, Deadline deadline) {
  MLPROF_LET(stream, dial_(deadline));
  std::string answer;
  profiler::GrpcMessage message(kMostAnswer, [&](std::string_view piece) -> Status {
    answer += piece;
    return {};
  });
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline.Left());
  const auto patience = std::max(left, std::chrono::milliseconds(1));
  MLPROF_LET(call, profiler::Http2Call::Begin({kAuthority, std::string(kMetricMethod),
                                               EncodeMetricRequest(metric), patience},
                                              message));
  if (const Status done = Exchange(*stream, *call, deadline); !done) {
    // What the peer said before it broke the connection tells more than that it did.
    if (!call->reply().status) return Fail(done.error());
  }
  MLPROF_TRY(OutcomeOf(call->reply(), metric));
  if (!message.IsWhole()) return Fail(Internal("the metric service sent no whole answer"));
  return ReadMetricResponse(answer);
}

}  // namespace mlprof::server::tpu
