// A TCP server on loopback that a test serves with a function a connection.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <functional>
#include <list>
#include <string>
#include <thread>

#include "common/os/unique_fd.h"

namespace mlprof::fakes {

/// Serves each connection on a thread of its own; destroying it waits for all of them. The sockets
/// block.
class TcpServer {
 public:
  explicit TcpServer(std::function<void(int fd)> serve, bool ipv6 = false)
      : serve_(std::move(serve)) {
    listener_.Reset(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (ipv6) {
      sockaddr_in6 address{};
      address.sin6_family = AF_INET6;
      address.sin6_addr = in6addr_loopback;
      Bind(address, [](const sockaddr_in6& bound) { return bound.sin6_port; });
    } else {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      Bind(address, [](const sockaddr_in& bound) { return bound.sin_port; });
    }
    accepting_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
  }
  ~TcpServer() {
    accepting_.request_stop();
    accepting_.join();
    serving_.clear();
  }
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  /// 0 where there is no such address on this machine.
  int port() const { return port_; }

 private:
  template <class Address, class PortOf>
  void Bind(Address address, PortOf port_of) {
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 64) != 0) return;
    ::getsockname(listener_.get(), generic, &size);
    port_ = ntohs(port_of(address));
  }
  void Accept(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waiting{listener_.get(), POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      serving_.emplace_back([this, fd] {
        const UniqueFd owned(fd);
        serve_(fd);
      });
    }
  }

  const std::function<void(int fd)> serve_;
  UniqueFd listener_;
  int port_ = 0;
  std::list<std::jthread> serving_;
  std::jthread accepting_;
};

/// All that comes until the other side's end.
inline std::string ReadToEnd(int fd) {
  std::string all;
  char piece[4096];
  for (ssize_t n = 0; (n = ::recv(fd, piece, sizeof piece, 0)) > 0;) {
    all.append(piece, static_cast<std::size_t>(n));
  }
  return all;
}

inline bool SendWhole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Sends back whatever comes, until its end.
inline void ServeEcho(int fd) {
  std::string piece(64 << 10, '\0');
  for (ssize_t n = 0; (n = ::recv(fd, piece.data(), piece.size(), 0)) > 0;) {
    if (!SendWhole(fd, std::string_view(piece).substr(0, static_cast<std::size_t>(n)))) return;
  }
}

}  // namespace mlprof::fakes
