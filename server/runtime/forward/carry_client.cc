#include "server/runtime/forward/carry_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

#include "common/log/log.h"
#include "common/os/start_thread.h"
#include "common/result/result.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::milliseconds kIdleLook{250};

class CarriedClient {
 public:
  CarriedClient(int client, PortStream& stream, std::chrono::milliseconds idle)
      : client_(client), stream_(stream), idle_(idle) {}

  void Run(const std::stop_token& stop) {
    const std::stop_callback stopped(stop, [this] { GiveUp(); });
    auto upward = StartThread("forwarded port's way up", [this](const auto&) {
      EndBothIfItThrows("the way up", [this] { CarryUp(); });
    });
    if (!upward) {
      LogWarn("a connection to a forwarded port is dropped", {{"why", upward.error().message()}});
      return GiveUp();
    }
    EndBothIfItThrows("the way down", [this] { CarryDown(); });
    upward->join();
    GiveUp();
  }

 private:
  // One way that runs out of memory must not leave the other waiting, nor the connection open.
  template <class Carry>
  void EndBothIfItThrows(const char* way, Carry carry) {
    try {
      carry();
    } catch (...) {
      LogThrown("a connection to a forwarded port is dropped", way);
      GiveUp();
    }
  }
  // Wakes whoever waits, on the client or on the stream, whose close is said to the agent: there
  // may be no memory for that either.
  void GiveUp() noexcept {
    over_ = true;
    ::shutdown(client_, SHUT_RDWR);
    try {
      stream_.Close();
    } catch (...) {
      LogThrown("a forwarded stream ends with its connection alone", "its close");
    }
  }
  bool Over() const { return over_ || Clock::now() - moved_.load() > idle_; }
  // False once it is over.
  bool AwaitClient(short events) {
    while (!Over()) {
      pollfd waiting{client_, events, 0};
      if (::poll(&waiting, 1, static_cast<int>(kIdleLook.count())) > 0) return !over_;
    }
    return false;
  }
  // Has closed both ways, and not only its half of the connection.
  bool ClientIsGone() const {
    pollfd end{client_, 0, 0};
    return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0;
  }

  void CarryUp() {
    std::array<char, 64 << 10> piece;
    while (AwaitClient(POLLIN)) {
      const ssize_t n = ::recv(client_, piece.data(), piece.size(), MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n == 0) return stream_.CloseWrite();
      if (n < 0) break;
      moved_ = Clock::now();
      const std::string_view bytes(piece.data(), static_cast<std::size_t>(n));
      if (!stream_.Write(bytes, Deadline::After(idle_))) break;
      moved_ = Clock::now();
    }
    GiveUp();
  }

  void CarryDown() {
    while (true) {
      const auto bytes = stream_.Read(Deadline::After(kIdleLook));
      const bool quiet = !bytes && bytes.error().code() == ErrorCode::kDeadlineExceeded;
      if (quiet && !Over() && !ClientIsGone()) continue;
      if (!bytes) return GiveUp();
      if (bytes->empty()) {
        ::shutdown(client_, SHUT_WR);
        return;
      }
      if (!SendDown(*bytes)) return GiveUp();
    }
  }
  bool SendDown(std::string_view bytes) {
    while (!bytes.empty()) {
      if (!AwaitClient(POLLOUT)) return false;
      const ssize_t n = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (n <= 0) continue;
      moved_ = Clock::now();
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  using Clock = Deadline::Clock;
  const int client_;
  PortStream& stream_;
  const std::chrono::milliseconds idle_;
  std::atomic<bool> over_ = false;
  std::atomic<Clock::time_point> moved_ = Clock::now();
};

}  // namespace

void CarryClient(int client, PortStream& stream, std::chrono::milliseconds idle,
                 const std::stop_token& stop) {
  CarriedClient(client, stream, idle).Run(stop);
}

}  // namespace mlprof::server
