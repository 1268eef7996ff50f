// A TCP server on loopback that reads one request a connection and sends what a test tells it to,
// byte by byte if need be.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace mlprof::client {

class ScriptedTcpServer {
 public:
  class Connection {
   public:
    explicit Connection(int fd) : fd_(fd) {}
    void Send(const std::string& bytes) const {
      std::size_t sent = 0;
      while (sent < bytes.size()) {
        const ssize_t count = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) return;
        sent += static_cast<std::size_t>(count);
      }
    }
    /// Until the client has closed, at most 10 s.
    void AwaitClose() const {
      std::array<char, 64> rest{};
      pollfd ready{fd_, POLLIN, 0};
      while (poll(&ready, 1, 10'000) > 0 && recv(fd_, rest.data(), rest.size(), 0) > 0) {
      }
    }

   private:
    int fd_;
  };
  using Script = std::function<void(const Connection& connection, const std::string& head,
                                    const std::string& body)>;

  explicit ScriptedTcpServer(Script script) : script_(std::move(script)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
    listen(listener_, 8);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { Serve(); });
  }
  ~ScriptedTcpServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  ScriptedTcpServer(const ScriptedTcpServer&) = delete;
  ScriptedTcpServer& operator=(const ScriptedTcpServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  void Serve() {
    while (true) {
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      std::string head;
      std::string body;
      if (ReadRequest(fd, head, body)) script_(Connection(fd), head, body);
      close(fd);
    }
  }

  static bool ReadRequest(int fd, std::string& head, std::string& body) {
    std::string all;
    std::array<char, 65536> piece{};
    std::size_t end = std::string::npos;
    std::size_t length = 0;
    while (end == std::string::npos || all.size() < end + 4 + length) {
      const ssize_t count = recv(fd, piece.data(), piece.size(), 0);
      if (count <= 0) return false;
      all.append(piece.data(), static_cast<std::size_t>(count));
      if (end != std::string::npos || (end = all.find("\r\n\r\n")) == std::string::npos) continue;
      const std::size_t field = all.find("Content-Length:");
      if (field < end) length = std::stoul(all.substr(field + 15));
    }
    head = all.substr(0, end);
    body = all.substr(end + 4);
    return true;
  }

  Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::jthread thread_;
};

}  // namespace mlprof::client
