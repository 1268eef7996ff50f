// A server for one connection that does what its script says, for tests of the client.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "common/http/client.h"

namespace mlprof {

struct Script {
  std::string await = "\r\n\r\n";  // what the request must hold before the reply is sent
  std::string reply = "";
  bool then_hang = false;  // keep the connection open until the end of the test
};

class ScriptedServer {
 public:
  explicit ScriptedServer(Script script, bool unix_socket = true);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  const HttpEndpoint& endpoint() const { return endpoint_; }
  /// What was received; waits for the script to end.
  std::string Request();

 private:
  void Listen(bool unix_socket);
  void Serve();

  Script script_;
  HttpEndpoint endpoint_;
  std::filesystem::path directory_;  // of the Unix socket
  int listener_ = -1;
  int hang_up_[2] = {-1, -1};  // a pipe that tells a hanging server to end
  std::string received_;
  std::thread thread_;
};

inline ScriptedServer::ScriptedServer(Script script, bool unix_socket)
    : script_(std::move(script)) {
  Listen(unix_socket);
  if (::pipe(hang_up_) != 0) throw std::runtime_error("pipe");
  thread_ = std::thread([this] { Serve(); });
}

inline ScriptedServer::~ScriptedServer() {
  ::close(hang_up_[1]);
  ::shutdown(listener_, SHUT_RDWR);  // ends an accept that nobody answered
  if (thread_.joinable()) thread_.join();
  ::close(hang_up_[0]);
  ::close(listener_);
  if (!directory_.empty()) std::filesystem::remove_all(directory_);
}

inline void ScriptedServer::Listen(bool unix_socket) {
  sockaddr_storage storage = {};
  socklen_t length = 0;
  if (unix_socket) {
    std::string name = (std::filesystem::temp_directory_path() / "mlprof-script-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    const std::string path = directory_ / "socket";
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    std::memcpy(&storage, &address, length = sizeof address);
    endpoint_ = UnixEndpoint{path};
  } else {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::memcpy(&storage, &address, length = sizeof address);
  }
  listener_ = ::socket(storage.ss_family, SOCK_STREAM, 0);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&storage), length) != 0 ||
      ::listen(listener_, 1) != 0) {
    throw std::runtime_error("bind");
  }
  if (unix_socket) return;
  sockaddr_in bound = {};
  length = sizeof bound;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &length);
  endpoint_ = TcpEndpoint{"127.0.0.1", ntohs(bound.sin_port)};
}

inline void ScriptedServer::Serve() {
  const int connection = ::accept(listener_, nullptr, nullptr);
  if (connection < 0) return;
  // A script that awaits nothing that can come leaves the request unread.
  char piece[65536];
  while (script_.await != "never" && received_.find(script_.await) == std::string::npos) {
    const ssize_t count = ::recv(connection, piece, sizeof piece, 0);
    if (count <= 0) break;
    received_.append(piece, static_cast<std::size_t>(count));
  }
  ::send(connection, script_.reply.data(), script_.reply.size(), MSG_NOSIGNAL);
  if (script_.then_hang) [[maybe_unused]]
    const ssize_t ended = ::read(hang_up_[0], piece, 1);
  ::close(connection);
}

inline std::string ScriptedServer::Request() {
  if (thread_.joinable()) thread_.join();
  return received_;
}

}  // namespace mlprof
