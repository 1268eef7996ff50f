// target-static-server PORT [ADDRESS]: one thread, epoll, keep-alive; answers every request with
// the same 15 bytes after its body has been read. What a model would cost if it did nothing.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view kResponse =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n"
    "Connection: keep-alive\r\n\r\n{\"result\":true}";
constexpr std::size_t kMaxHead = 16384;

struct Client {
  std::size_t head_bytes = 0;
  std::size_t body_left = 0;
  bool in_body = false;
  std::array<char, kMaxHead> head;
};

std::size_t ContentLength(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length:";
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at + 2)) {
    if (head.size() - at > kName.size() &&
        ::strncasecmp(head.data() + at, kName.data(), kName.size()) == 0) {
      return std::strtoul(head.data() + at + kName.size(), nullptr, 10);
    }
  }
  return 0;
}

// Takes what was received; false when the client is to be dropped.
bool Take(int fd, Client& client, std::string_view bytes) {
  while (!bytes.empty() || (client.in_body && client.body_left == 0)) {
    if (client.in_body) {
      const std::size_t used = std::min(bytes.size(), client.body_left);
      client.body_left -= used;
      bytes.remove_prefix(used);
      if (client.body_left > 0) return true;
      client.in_body = false;
      client.head_bytes = 0;
      const ssize_t n = ::send(fd, kResponse.data(), kResponse.size(), MSG_NOSIGNAL);
      if (n != static_cast<ssize_t>(kResponse.size())) return false;
      continue;
    }
    const std::size_t before = client.head_bytes;
    const std::size_t room = client.head.size() - 1 - before;
    const std::size_t copied = std::min(room, bytes.size());
    if (copied == 0) return false;
    std::memcpy(client.head.data() + before, bytes.data(), copied);
    client.head_bytes += copied;
    client.head[client.head_bytes] = '\0';
    const std::string_view head(client.head.data(), client.head_bytes);
    const std::size_t end = head.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (end == std::string_view::npos) {
      bytes.remove_prefix(copied);
      continue;
    }
    bytes.remove_prefix(end + 4 - before);
    client.body_left = ContentLength(head.substr(0, end + 4));
    client.in_body = true;
  }
  return true;
}

int Listen(const char* address, int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address, &where.sin_addr);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0 ||
      ::listen(listener, 1024) != 0) {
    std::perror("target-static-server");
    std::exit(1);
  }
  return listener;
}

void Accept(int epoll, int listener, std::vector<Client*>& clients) {
  for (int fd = 0; (fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (clients.size() <= static_cast<std::size_t>(fd)) {
      clients.resize(static_cast<std::size_t>(fd) + 1);
    }
    clients[static_cast<std::size_t>(fd)] = new Client;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: target-static-server PORT [ADDRESS]\n", stderr);
    return 2;
  }
  std::signal(SIGTERM, [](int) { std::_Exit(0); });
  const int listener = Listen(argc > 2 ? argv[2] : "127.0.0.1", std::atoi(argv[1]));
  const int epoll = ::epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  std::vector<Client*> clients;
  std::array<epoll_event, 64> events;
  static std::array<char, 65536> buffer;
  while (true) {
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener) {
        Accept(epoll, listener, clients);
        continue;
      }
      Client*& client = clients[static_cast<std::size_t>(fd)];
      const ssize_t n = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (n <= 0 || !Take(fd, *client, {buffer.data(), static_cast<std::size_t>(n)})) {
        ::close(fd);
        delete client;
        client = nullptr;
      }
    }
  }
}
