#include "agent/null_server/null_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/null_server/request_counter.h"
#include "common/os/unique_fd.h"

namespace mlprof::agent {
namespace {

constexpr std::string_view kResponse =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull";

struct Client {
  UniqueFd socket;
  RequestCounter requests;
};

class NullServer {
 public:
  Status Open(int port) {
    listener_.Reset(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    // Accepted connections inherit it.
    ::setsockopt(listener_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
            0 ||
        ::listen(listener_.get(), SOMAXCONN) != 0) {
      return Fail(FromErrno(errno, "listening on port " + std::to_string(port)));
    }
    epoll_.Reset(::epoll_create1(EPOLL_CLOEXEC));
    return Watch(listener_.get());
  }

  Status Run() {
    std::array<epoll_event, 256> events;
    while (true) {
      const int count =
          ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
      if (count < 0 && errno != EINTR) return Fail(FromErrno(errno, "waiting for requests"));
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_.get()) {
          Accept();
        } else if (!Serve(*clients_[static_cast<std::size_t>(fd)])) {
          clients_[static_cast<std::size_t>(fd)].reset();
        }
      }
    }
  }

 private:
  Status Watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
    return Fail(FromErrno(errno, "watching a connection"));
  }

  void Accept() {
    UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket || !Watch(socket.get())) return;
    const auto at = static_cast<std::size_t>(socket.get());
    if (clients_.size() <= at) clients_.resize(at + 1);
    clients_[at] = std::make_unique<Client>();
    clients_[at]->socket = std::move(socket);
  }

  // False when the connection has ended or is to end.
  bool Serve(Client& client) {
    static std::array<char, 65536> buffer;
    const ssize_t n = ::recv(client.socket.get(), buffer.data(), buffer.size(), 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    int responses = client.requests.Feed({buffer.data(), static_cast<std::size_t>(n)});
    if (responses < 0) return false;
    for (; responses > 0; --responses) {
      const ssize_t sent =
          ::send(client.socket.get(), kResponse.data(), kResponse.size(), MSG_NOSIGNAL);
      // The response is a hundred bytes: a socket that does not take it belongs to a client that
      // does not read, and the connection ends.
      if (sent != static_cast<ssize_t>(kResponse.size())) return false;
    }
    return true;
  }

  UniqueFd listener_;
  UniqueFd epoll_;
  std::vector<std::unique_ptr<Client>> clients_;  // by descriptor
};

}  // namespace

Status ServeNothing(int port) {
  NullServer server;
  MLPROF_TRY(server.Open(port));
  return server.Run();
}

}  // namespace mlprof::agent
