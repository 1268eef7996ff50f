// target-sleep-server PORT MILLISECONDS: a thread for each connection, keep-alive; answers every
// request after the same sleep and keeps its own service times, from the request's last byte read
// to just before the response is written. GET /times answers "COUNT P50 P99" of them in
// microseconds and begins anew.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

std::mutex times_mutex;
std::vector<double> times_us;

void Note(double us) {
  const std::lock_guard lock(times_mutex);
  times_us.push_back(us);
}

std::string TakeTimes() {
  std::vector<double> times;
  {
    const std::lock_guard lock(times_mutex);
    times.swap(times_us);
    times_us.reserve(times.capacity());
  }
  if (times.empty()) return "0 0 0\n";
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  return std::to_string(times.size()) + " " + std::to_string(at(0.5)) + " " +
         std::to_string(at(0.99)) + "\n";
}

void SleepUntil(Clock::time_point when) {
  const auto since = when.time_since_epoch().count();
  const timespec until{since / 1'000'000'000, since % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

std::size_t ContentLength(const std::string& head) {
  const char* const at = ::strcasestr(head.c_str(), "\r\ncontent-length:");
  return at == nullptr ? 0 : std::strtoul(at + 17, nullptr, 10);
}

// Reads one request into `bytes` and returns its size, 0 at the end of the connection.
std::size_t ReadRequest(int fd, std::string& bytes) {
  std::array<char, 65536> piece;
  std::size_t size = 0;
  while (size == 0 || bytes.size() < size) {
    if (const std::size_t end = bytes.find("\r\n\r\n"); end != std::string::npos) {
      size = end + 4 + ContentLength(bytes.substr(0, end + 2));
      if (bytes.size() >= size) break;
    }
    const ssize_t n = ::recv(fd, piece.data(), piece.size(), 0);
    if (n <= 0) return 0;
    bytes.append(piece.data(), static_cast<std::size_t>(n));
  }
  return size;
}

std::string Reply(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

void Serve(int fd, std::chrono::milliseconds sleep) {
  const std::string response = Reply("{\"result\":true}");
  std::string bytes;
  while (const std::size_t size = ReadRequest(fd, bytes)) {
    const auto began = Clock::now();
    const bool row = bytes.starts_with("POST");
    std::string reply = response;
    if (row) {
      SleepUntil(began + sleep);
      Note(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
    } else if (bytes.starts_with("GET /times")) {
      reply = Reply(TakeTimes());
    }
    const bool close = bytes.find("Connection: close") < size;
    bytes.erase(0, size);
    if (::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL) < 0 || close) break;
  }
  ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: target-sleep-server PORT MILLISECONDS\n", stderr);
    return 2;
  }
  std::signal(SIGTERM, [](int) { std::_Exit(0); });
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);  // later threads inherit it
  times_us.reserve(1u << 20);
  const std::chrono::milliseconds sleep(std::atoi(argv[2]));
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[1])));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0 ||
      ::listen(listener, 1024) != 0) {
    std::perror("target-sleep-server");
    return 1;
  }
  while (true) {
    const int fd = ::accept(listener, nullptr, nullptr);
    if (fd < 0) continue;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    std::thread(Serve, fd, sleep).detach();
  }
}
