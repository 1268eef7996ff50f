#include "server/devices/profiler/profiler_client.h"

#include <algorithm>
#include <array>
#include <random>

#include "common/http/client_socket.h"
#include "common/http/spool_file.h"
#include "server/devices/profiler/http2_call.h"
#include "server/devices/profiler/older_server_file.h"
#include "server/devices/profiler/profile_messages.h"
#include "server/devices/xspace/mapped_file.h"

namespace mlprof::server::profiler {
namespace {

constexpr std::chrono::milliseconds kTick{200};
// Anybody may make a folder in it, and only who made that may change it.
constexpr const char* kFolderOfOlderServers = "/tmp";
// The rest of the answer beside the trace.
constexpr Bytes kAround = MiB(1);

std::string NewSession() {
  std::random_device random;
  return "mlprof-" + std::to_string(random()) + "-" + std::to_string(random());
}

ProfileRequest RequestOf(const Recording& recording) {
  std::string host = recording.address.host + "_" + std::to_string(recording.address.port);
  std::ranges::replace(host, ':', '_');
  return {recording.duration, kFolderOfOlderServers, NewSession(), host};
}

Result<ClientSocket> ConnectTo(const ProfilerAddress& address, Deadline deadline,
                               const std::stop_token& stop) {
  MLPROF_LET(endpoints, Resolve(address));
  Error last = Unavailable("");
  for (const TcpEndpoint& endpoint : endpoints) {
    auto socket = ClientSocket::Connect(endpoint, deadline, stop);
    if (socket || socket.error().code() == ErrorCode::kCancelled) return socket;
    last = socket.error();
  }
  const bool late = last.code() == ErrorCode::kDeadlineExceeded;
  return Fail(Unavailable("no profiler server is reached at " + address.Text() + " (" +
                          (late ? "nobody answers" : last.message()) +
                          "): does the program run, with jax.profiler.start_server(" +
                          std::to_string(address.port) + ") or its like, and is the port open?"));
}

Result<ClientSocket> ConnectFor(const Recording& recording, Deadline deadline) {
  if (recording.socket.empty()) return ConnectTo(recording.address, deadline, recording.stop);
  return ClientSocket::Connect(UnixEndpoint{recording.socket.string()}, deadline, recording.stop);
}

Status SendAll(ClientSocket& socket, std::string_view& unsent, Http2Call& call) {
  while (true) {
    if (unsent.empty()) {
      MLPROF_LET(more, call.Outgoing());
      if (more.empty()) return {};
      unsent = more;
    }
    const auto taken = socket.Write(unsent);
    if (!taken) return {};  // what came before the end tells why
    if (*taken == 0) return {};
    unsent.remove_prefix(*taken);
  }
}

// Until the call is over, or the connection is.
Status Exchange(ClientSocket& socket, Http2Call& call, Deadline deadline,
                const std::function<void()>& tick) {
  std::array<char, 64 << 10> piece;
  std::string_view unsent;
  while (!call.IsOver()) {
    MLPROF_TRY(SendAll(socket, unsent, call));
    if (call.IsOver()) break;
    tick();
    const auto ready = socket.Wait(!unsent.empty(), deadline.AtMost(kTick));
    const bool only_tick =
        !ready && ready.error().code() == ErrorCode::kDeadlineExceeded && !deadline.Passed();
    if (only_tick) continue;
    if (!ready) return Fail(ready.error());
    if (!ready->readable) continue;
    const auto count = socket.Read(piece.data(), piece.size());
    if (!count || *count == 0U) return {};  // lost: the reply says of what
    if (*count) MLPROF_TRY(call.Incoming({piece.data(), **count}));
  }
  return {};
}

Error TooLate(const Recording& recording) {
  return DeadlineExceeded("the profiler server at " + recording.address.Text() +
                          " took the request but gave no trace in time: is the program stopped or "
                          "very busy? Try again, for a shorter time");
}

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// What an older server wrote to disk; a sentence where that is out of reach.
Result<SpooledBody> TraceOnDisk(const Recording& recording, const ProfileRequest& request,
                                Bytes most) {
  const bool in_container = !recording.socket.empty();
  OlderServerFile file{recording.program_root, request.FileOfOlderServers()};
  if (file.root.empty() && !in_container && IsLoopback(recording.address.host)) file.root = "/";
  auto copy = CopyOlderServerFile(file, recording.folder, most);
  if (copy || copy.error().code() != ErrorCode::kNotFound) return copy;
  const std::string who = "the profiler server at " + recording.address.Text() +
                          " is of an older version that sends no traces (jaxlib before 0.7.2)";
  if (in_container) {
    return Fail(Conflict(who + ", and what it writes in its container cannot be read from here: "
                               "give the model a newer one"));
  }
  return Fail(Conflict(who + ". It wrote this one on its own disk: copy " + file.path.string() +
                       " from there (docker cp, kubectl cp) and open it with `mlprof trace`"));
}

Result<SpooledBody> TraceOf(const SpooledBody& answer, const Recording& recording,
                            const ProfileRequest& request, Bytes most) {
  MLPROF_LET(file, MappedFile::Open(*answer.file));
  MLPROF_LET(response, ReadProfileResponse(file.bytes()));
  const bool in_container = !recording.socket.empty();
  if (response.trace.empty() && response.nothing_ran && in_container) {
    return Fail(Conflict("nothing ran in the program at " + recording.address.Text() +
                         " while it was recorded: does another process of the model serve the "
                         "rows?"));
  }
  if (response.trace.empty() && response.nothing_ran) {
    return Fail(Conflict("nothing ran in the program at " + recording.address.Text() +
                         " while it was recorded: give it work, or record for longer"));
  }
  if (response.trace.empty()) return TraceOnDisk(recording, request, most);
  MLPROF_LET(trace, SpoolFile::Create(recording.folder));
  for (const std::string_view piece : response.trace) MLPROF_TRY(trace->Append(piece));
  return trace->Finish();
}

}  // namespace

Result<SpooledBody> ProfilerClient::Record(const Recording& recording) {
  const std::string who = recording.address.Text();
  const ProfileRequest request = RequestOf(recording);
  const auto patience = recording.duration + limits_.grace;
  MLPROF_LET(socket, ConnectFor(recording, Deadline::After(limits_.connect)));
  MLPROF_LET(spool, SpoolFile::Create(recording.folder));
  GrpcMessage message(limits_.trace + kAround,
                      [&](std::string_view piece) { return spool->Append(piece); });
  MLPROF_LET(call, Http2Call::Begin({who, std::string(kProfileMethod), Encode(request), patience},
                                    message));
  const auto tick = [&] {
    if (recording.on_progress) recording.on_progress(message.received(), message.size());
  };
  const Status exchanged = Exchange(socket, *call, Deadline::After(patience), tick);
  if (!exchanged && exchanged.error().code() == ErrorCode::kDeadlineExceeded) {
    return Fail(TooLate(recording));
  }
  MLPROF_TRY(exchanged);
  MLPROF_TRY(OutcomeOf(call->reply(), who));
  if (!message.IsWhole()) {
    return Fail(Internal("the profiler server at " + who + " sent no whole answer"));
  }
  MLPROF_LET(answer, spool->Finish());
  return TraceOf(answer, recording, request, limits_.trace);
}

}  // namespace mlprof::server::profiler
