#include "server/runtime/docker/engine.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/runtime/docker/engine_error.h"

namespace mlprof::server::docker {
namespace {

// 1.44 is the oldest that Docker Engine 29 still speaks and the newest that we were written for;
// 1.24 is the oldest with everything used here.
constexpr int kNewestMinor = 44;
constexpr int kOldestMinor = 24;

// A list of thousands of containers or images is a few MiB.
const JsonLimits kResponseLimits{.max_bytes = 16 << 20, .max_depth = 64, .max_nodes = 1'000'000};

bool IsSuccess(int status) { return status >= 200 && status < 300; }

// "1.41" → 41; 0 where it is something else.
int MinorOf(std::string_view version) {
  if (version.substr(0, 2) != "1.") return 0;
  int minor = 0;
  const auto [end, error] =
      std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return error == std::errc() && end == version.data() + version.size() ? minor : 0;
}

}  // namespace

DockerEngine::DockerEngine(std::string socket, DockerCallObserver observer)
    : socket_(std::move(socket)), observer_(std::move(observer)) {}

Result<HttpReply> DockerEngine::SendOnce(const HttpCall& call, const Patience& patience,
                                         const OnChunk& on_chunk,
                                         const std::filesystem::path& upload) {
  const HttpEndpoint endpoint = UnixEndpoint{socket_};
  if (!upload.empty()) {
    return UploadHttp(endpoint, call, upload, patience.deadline, patience.stop);
  }
  if (on_chunk) {
    return StreamHttp(endpoint, call, on_chunk, patience.deadline, patience.stop);
  }
  return CallHttp(endpoint, call, patience.deadline, patience.stop);
}

// No constant version works everywhere: engines refuse newer ones than they know and, from 29 on,
// older ones than 1.44. So the daemon is asked once.
Result<std::string> DockerEngine::ApiVersion(const Patience& patience) {
  {
    const std::lock_guard lock(mutex_);
    if (!api_version_.empty()) return api_version_;
  }
  HttpCall call;
  call.target = "/_ping";
  const std::string asked = "answer a ping";
  const Result<HttpReply> reply = SendOnce(call, patience, {}, {});
  if (!reply) return Fail(EngineUnreachable(asked, socket_, reply.error()));
  if (!IsSuccess(reply->status)) return Fail(EngineRefused(asked, reply->status, reply->body));
  const std::string offered = reply->headers.Get("Api-Version").value_or("");
  const int minor = MinorOf(offered);
  if (minor < kOldestMinor) {
    return Fail(Unavailable("what listens at " + socket_ + " offers Docker API version '" +
                            offered + "'; Docker Engine 20.10 or newer is needed"));
  }
  const std::lock_guard lock(mutex_);
  api_version_ = "1." + std::to_string(std::min(minor, kNewestMinor));
  return api_version_;
}

Result<HttpReply> DockerEngine::Send(const Ask& ask, const Patience& patience,
                                     const OnChunk& on_chunk, const std::filesystem::path& upload) {
  const auto began = Deadline::Clock::now();
  const auto observed = [&](bool succeeded) {
    if (!observer_) return;
    const std::chrono::duration<double> took = Deadline::Clock::now() - began;
    observer_(ask.call, succeeded, took.count());
  };
  const Result<std::string> version = ApiVersion(patience);
  if (!version) {
    observed(false);
    return Fail(version.error());
  }
  HttpCall call;
  call.method = ask.method;
  call.target = "/v" + *version + ask.target;
  if (!ask.body.empty()) call.headers.Set("Content-Type", "application/json");
  if (!upload.empty()) call.headers.Set("Content-Type", "application/x-tar");
  call.body = ask.body;
  Result<HttpReply> reply = SendOnce(call, patience, on_chunk, upload);
  // A daemon that restarts resets connections; asking again is harmless where nothing changes.
  if (!reply && reply.error().code() == ErrorCode::kUnavailable && ask.method == "GET" &&
      !on_chunk) {
    reply = SendOnce(call, patience, on_chunk, upload);
  }
  observed(reply && IsSuccess(reply->status));
  if (!reply) return Fail(EngineUnreachable(ask.asked, socket_, reply.error()));
  // 304: it is in the asked state already.
  if (!IsSuccess(reply->status) && reply->status != 304) {
    return Fail(EngineRefused(ask.asked, reply->status, reply->body));
  }
  return reply;
}

Result<Json> DockerEngine::SendForJson(const Ask& ask, const Patience& patience) {
  const Result<HttpReply> reply = Send(ask, patience);
  if (!reply) return Fail(reply.error());
  Result<Json> json = ParseJson(reply->body, kResponseLimits);
  if (!json) {
    return Fail(Internal("Docker's response when asked to " + ask.asked +
                         " is not JSON: " + json.error().message()));
  }
  return json;
}

Status DockerEngine::Ping(const Patience& patience) {
  const Result<HttpReply> reply = Send({"ping", "answer a ping", "GET", "/_ping", ""}, patience);
  if (!reply) return Fail(reply.error());
  return {};
}

Result<EngineInfo> DockerEngine::Info(const Patience& patience) {
  const Result<Json> json =
      SendForJson({"info", "describe its machine", "GET", "/info", ""}, patience);
  if (!json) return Fail(json.error());
  return DecodeInfo(*json);
}

}  // namespace mlprof::server::docker
