#include "server/runtime/docker/engine_error.h"

#include <unistd.h>

#include "common/json/json.h"

namespace mlprof::server::docker {
namespace {

std::string MessageOf(std::string_view body) {
  const Result<Json> json = ParseJson(body);
  if (json && json->is_object()) {
    const auto message = json->find("message");
    if (message != json->end() && message->is_string()) return message->get<std::string>();
  }
  std::string text(body.substr(0, 500));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.empty() ? "no explanation" : text;
}

bool Says(std::string_view message, std::string_view part) {
  return message.find(part) != std::string_view::npos;
}

// Docker tells its causes apart in text only.
std::string RemedyFor(std::string_view message) {
  if (Says(message, "no space left on device")) {
    return "; the disk of Docker's data is full: free some space (`docker system df` shows what "
           "Docker holds)";
  }
  if (Says(message, "bind source path does not exist")) {
    return "; Docker does not see this program's files: run both on the same machine and outside "
           "of other containers, or put the data directory on a path that both share";
  }
  if (Says(message, "unknown or invalid runtime name") || Says(message, "Unknown runtime")) {
    return "; install gVisor's runsc and name it in Docker's daemon.json, or use the default "
           "isolation";
  }
  if (Says(message, "is too old") || Says(message, "is too new")) {
    return "; this Docker Engine speaks another API version: use Docker Engine 20.10 or newer";
  }
  return "";
}

ErrorCode CodeFor(int status, std::string_view message) {
  if (Says(message, "no space left on device")) return ErrorCode::kResourceExhausted;
  switch (status) {
    case 400: return ErrorCode::kInvalidArgument;
    case 401:
    case 403: return ErrorCode::kPermissionDenied;
    case 404: return ErrorCode::kNotFound;
    case 409: return ErrorCode::kConflict;
    case 503: return ErrorCode::kUnavailable;
    default: return ErrorCode::kInternal;
  }
}

std::string Sentence(std::string_view asked, std::string_view what) {
  return "Docker could not " + std::string(asked) + ": " + std::string(what);
}

}  // namespace

Error EngineRefused(std::string_view asked, int status, std::string_view body) {
  const std::string message = MessageOf(body);
  return Error(CodeFor(status, message), Sentence(asked, message) + " (status " +
                                             std::to_string(status) + ")" + RemedyFor(message));
}

Error EngineStreamFailed(std::string_view asked, std::string_view message) {
  const ErrorCode code = Says(message, "not found") || Says(message, "does not exist")
                             ? ErrorCode::kNotFound
                             : CodeFor(500, message);
  return Error(code, Sentence(asked, message) + RemedyFor(message));
}

Error EngineUnreachable(std::string_view asked, const std::string& socket, const Error& transport) {
  if (transport.code() == ErrorCode::kDeadlineExceeded) {
    return Error(ErrorCode::kDeadlineExceeded,
                 Sentence(asked, "no response in time from " + socket +
                                     "; `docker info` and Docker's own log may say why"));
  }
  if (transport.code() == ErrorCode::kCancelled) {
    return Cancelled("stopped while Docker was asked to " + std::string(asked));
  }
  if (transport.code() == ErrorCode::kTooLarge) {
    return transport.WithContext("Docker's response when asked to " + std::string(asked));
  }
  if (::access(socket.c_str(), F_OK) != 0) {
    return Unavailable("no Docker daemon listens at " + socket +
                       "; start it (`systemctl start docker`, or `dockerd &` where there is no "
                       "systemd) or name its socket with --docker-host");
  }
  if (::access(socket.c_str(), R_OK | W_OK) != 0) {
    return Error(ErrorCode::kPermissionDenied,
                 "this user may not use Docker's socket " + socket +
                     "; run as root or join its group (`usermod -aG docker USER`, then log in "
                     "again)");
  }
  return Error(ErrorCode::kUnavailable, Sentence(asked, transport.message()) +
                                            "; is the daemon at " + socket +
                                            " running and well (`docker info`)?");
}

}  // namespace mlprof::server::docker
