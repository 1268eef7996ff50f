#include "tests/targets/target/serve.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/targets/target/lifetime.h"
#include "tests/targets/target/response.h"

namespace target {
namespace {

constexpr int kLookAgainMs = 100;

std::size_t ContentLength(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t at = head.find("\r\ncontent-length:");
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 17, nullptr, 10);
}

class Server {
 public:
  explicit Server(const Options& options)
      : options_(options), life_(options.max_requests), model_(options) {}

  [[noreturn]] void AcceptForEver(int listener) {
    if (options_.first_idle) WaitFor(listener);
    while (!life_.Leaving()) {
      const int connection = Accept(listener);
      if (connection < 0) continue;
      const int yes = 1;
      setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      life_.Opened();
      if (options_.first_idle) {
        Serve(connection);
      } else {
        std::thread([this, connection] { Serve(connection); }).detach();
      }
    }
    life_.Leave();
  }

 private:
  // Of the processes that wait so, the kernel wakes the one alone that began first: a busy one does
  // not wait. Blocked in accept() they would be woken in turns. One that was woken twice takes one
  // connection only, and nobody is woken for the other: so they look from time to time.
  void WaitFor(int listener) {
    waiting_ = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLEXCLUSIVE;
    if (epoll_ctl(waiting_, EPOLL_CTL_ADD, listener, &event) != 0) Refuse("epoll_ctl");
  }

  int Accept(int listener) const {
    epoll_event event{};
    if (waiting_ >= 0) epoll_wait(waiting_, &event, 1, kLookAgainMs);
    return accept(listener, nullptr, nullptr);
  }

  void Serve(int connection) {
    std::string input;
    std::array<char, 65536> buffer;
    while (true) {
      const std::size_t head = input.find("\r\n\r\n");
      const std::size_t length =
          head == std::string::npos ? 0 : ContentLength(input.substr(0, head));
      if (head == std::string::npos || input.size() < head + 4 + length) {
        const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
        if (got < 0 && errno == EINTR && !life_.Leaving()) continue;
        if (got <= 0) break;
        input.append(buffer.data(), static_cast<std::size_t>(got));
        continue;
      }
      life_.Began();
      Outcome outcome = Respond(input.starts_with("GET "), input.substr(head + 4, length));
      outcome.last = options_.close || life_.Leaving();
      const bool more = SendResponse(connection, outcome);
      life_.Answered();
      if (!more) break;
      input.erase(0, head + 4 + length);
    }
    close(connection);
    life_.Closed();
  }

  Outcome Respond(bool get, const std::string& body) {
    if (!get) return model_.Respond(body);
    Outcome ready;
    ready.body = "ready";
    return ready;
  }

  const Options& options_;
  Lifetime life_;
  Model model_;
  int waiting_ = -1;
};

}  // namespace

void AcceptForEver(int listener, const Options& options, pid_t replaced) {
  Server server(options);
  if (replaced > 0) TellToLeave(replaced);
  server.AcceptForEver(listener);
}

int Listen(const Options& options) {
  // One that waits for connections before it accepts may find that another took it.
  const int listener = socket(AF_INET, SOCK_STREAM | (options.first_idle ? SOCK_NONBLOCK : 0), 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(options.port));
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, 128) != 0) {
    Refuse("cannot listen on port " + std::to_string(options.port));
  }
  return listener;
}

}  // namespace target
