#include "client/cli/doctor/docker_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace mlprof::cli {
namespace {

constexpr std::size_t kLargestAnswer = 4 << 20;

class Socket {
 public:
  Socket() : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool WaitFor(int fd, short events, const Deadline& deadline) {
  pollfd ready{fd, events, 0};
  return poll(&ready, 1, static_cast<int>(deadline.LeftMs().count())) > 0;
}

Result<std::string> ReadAll(int fd, const Deadline& deadline) {
  std::string answer;
  std::array<char, 16384> piece{};
  while (answer.size() < kLargestAnswer) {
    if (!WaitFor(fd, POLLIN, deadline)) return Fail(Unavailable("the engine does not answer"));
    const ssize_t count = recv(fd, piece.data(), piece.size(), 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return Fail(FromErrno(errno, "read"));
    if (count == 0) break;
    answer.append(piece.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

}  // namespace

Result<std::string> DockerSocketPath(const std::string& docker_host) {
  if (docker_host.empty()) return "/var/run/docker.sock";
  constexpr std::string_view kScheme = "unix://";
  if (!docker_host.starts_with(kScheme)) {
    return Fail(InvalidArgument("DOCKER_HOST is " + docker_host + ", which is no Unix socket"));
  }
  return docker_host.substr(kScheme.size());
}

// HTTP/1.0, so that the answer ends with the connection and is not chunked.
Result<std::string> DockerGet(const std::string& socket_path, const std::string& path,
                              const Deadline& deadline) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof(address.sun_path)) {
    return Fail(InvalidArgument(socket_path + " is too long for a socket's path"));
  }
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size());
  const Socket socket;
  if (connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Fail(Unavailable(socket_path + ": " + std::strerror(errno)));
  }
  const std::string request = "GET " + path + " HTTP/1.0\r\nHost: docker\r\n\r\n";
  if (send(socket.fd(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return Fail(Unavailable(socket_path + ": " + std::strerror(errno)));
  }
  auto answer = ReadAll(socket.fd(), deadline);
  if (!answer) return answer;
  const std::size_t body = answer->find("\r\n\r\n");
  const bool ok = answer->starts_with("HTTP/1.") && answer->substr(8, 5) == " 200 ";
  if (!ok || body == std::string::npos) {
    return Fail(Unavailable("the engine answers " + answer->substr(0, answer->find('\r'))));
  }
  return answer->substr(body + 4);
}

}  // namespace mlprof::cli
