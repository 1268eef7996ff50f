// target-sleep-server PORT MILLISECONDS: a thread for each connection, keep-alive; answers every
// request after the same sleep and keeps its own service times, from the request's last byte read
// to just before the response is written. GET /times answers "COUNT P50 P99" of them in
// microseconds and begins anew.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
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

#include "tests/targets/plain_http.h"

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
  return ServeConnections("target-sleep-server", INADDR_LOOPBACK, std::atoi(argv[1]),
                          [sleep](int fd) { Serve(fd, sleep); });
}
