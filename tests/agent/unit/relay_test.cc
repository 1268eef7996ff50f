// Rows over connections that a small server counts.
#include "agent/relay/relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace mlprof::agent {
namespace {

using agent_protocol::Connections;
using agent_protocol::Response;

constexpr Connections kKeptAlive{};
constexpr Connections kOneARequest{Connections::Policy::kOneARequest, 0};
constexpr Connections Held(int count) { return {Connections::Policy::kManyHeld, count}; }

// Answers every request with 200, each connection on a thread of its own.
class CountingServer {
 public:
  explicit CountingServer(bool closes = false) : closes_(closes) {
    listener_.Reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), generic, &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { Accept(); });
  }

  ~CountingServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    accepting_.join();
    for (const auto& socket : sockets_) ::shutdown(socket->get(), SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
  }

  int port() const { return port_; }
  /// Requests of each connection, once there were so many connections.
  std::vector<int> Requests(std::size_t connections) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20),
                      [&] { return requests_.size() >= connections; });
    return requests_;
  }

 private:
  void Accept() {
    while (true) {
      auto socket =
          std::make_unique<UniqueFd>(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!*socket) return;
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([this, fd = socket->get(), at = requests_.size()] { Serve(fd, at); });
      sockets_.push_back(std::move(socket));
      requests_.push_back(0);
      changed_.notify_all();
    }
  }

  // The bodies of the tests' rows are one byte long.
  void Serve(int fd, std::size_t at) {
    std::string in;
    char bytes[4096];
    while (true) {
      const ssize_t n = ::recv(fd, bytes, sizeof(bytes), 0);
      if (n <= 0) return;
      in.append(bytes, static_cast<std::size_t>(n));
      const std::size_t head = in.find("\r\n\r\n");
      if (head == std::string::npos || in.size() < head + 5) continue;
      in.erase(0, head + 5);
      {
        const std::lock_guard lock(mutex_);
        ++requests_[at];
      }
      const std::string response = std::string("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n") +
                                   (closes_ ? "Connection: close\r\n\r\nok" : "\r\nok");
      ::send(fd, response.data(), response.size(), MSG_NOSIGNAL);
      if (closes_) ::shutdown(fd, SHUT_RDWR);
    }
  }

  const bool closes_;
  UniqueFd listener_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> requests_;
  std::vector<std::unique_ptr<UniqueFd>> sockets_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

// A relay on an event loop that runs until the last of the rows is answered.
class RelayBench {
 public:
  explicit RelayBench(int port)
      : relay_(loop_, {port, RequestHead::ForRows({}).value(), std::chrono::milliseconds(10'000)},
               *cgroup_, high_water_, [this](const Response& response) { OnResponse(response); }) {}

  /// So many more rows under a policy, so many of them in flight.
  RelayBench& Then(const Connections& connections, int rows, int in_flight = 1) {
    stretches_.push_back({connections, rows, std::min(rows, in_flight)});
    return *this;
  }
  void Run() {
    Begin();
    loop_.Run([] {});
  }
  std::ptrdiff_t Succeeded() const {
    return std::count_if(responses_.begin(), responses_.end(),
                         [](const Response& response) { return response.Succeeded(); });
  }

 private:
  struct Stretch {
    Connections connections;
    int rows;
    int in_flight;
  };

  void Begin() {
    relay_.SetConnections(stretches_.front().connections);
    to_send_ = stretches_.front().rows;
    open_ = stretches_.front().rows;
    const int first = stretches_.front().in_flight;
    for (int i = 0; i < first; ++i) SendOne();
  }
  void SendOne() {
    if (to_send_ == 0) return;
    --to_send_;
    relay_.Add({responses_.size(), false, "x"}, Clock::now());
  }
  void OnResponse(const Response& response) {
    responses_.push_back(response);
    // Behind the relay's own handling, as a controller's next word comes.
    loop_.At(Clock::now(), [this] {
      if (--open_ > 0) return SendOne();
      stretches_.erase(stretches_.begin());
      stretches_.empty() ? loop_.Stop() : Begin();
    });
  }

  EventLoop loop_ = EventLoop::Open().value();
  std::unique_ptr<CgroupReader> cgroup_ = OpenCgroup({});
  HighWater high_water_;
  std::vector<Stretch> stretches_;
  int to_send_ = 0;
  int open_ = 0;
  std::vector<Response> responses_;
  Relay relay_;
};

TEST(RelayTest, KeepsAsManyConnectionsAsRowsAreInFlight) {
  CountingServer server;
  RelayBench bench(server.port());
  bench.Then(kKeptAlive, 5).Run();
  EXPECT_EQ(bench.Succeeded(), 5);
  EXPECT_EQ(server.Requests(1), std::vector<int>{5});
}

TEST(RelayTest, OpensAConnectionForEachRequest) {
  CountingServer server;
  RelayBench bench(server.port());
  bench.Then(kOneARequest, 5).Then(kOneARequest, 6, 3).Run();
  EXPECT_EQ(bench.Succeeded(), 11);
  EXPECT_EQ(server.Requests(11), std::vector<int>(11, 1));
}

TEST(RelayTest, HoldsConnectionsAndTakesThemInTurn) {
  CountingServer server;
  RelayBench bench(server.port());
  bench.Then(Held(4), 12).Run();
  EXPECT_EQ(bench.Succeeded(), 12);
  EXPECT_EQ(server.Requests(4), std::vector<int>(4, 3));
}

TEST(RelayTest, HoldsConnectionsThatNoRowHasNeeded) {
  CountingServer server;
  RelayBench bench(server.port());
  bench.Then(Held(8), 3).Run();
  EXPECT_EQ(bench.Succeeded(), 3);
  const std::vector<int> requests = server.Requests(8);
  EXPECT_EQ(requests.size(), 8U);
  EXPECT_EQ(*std::max_element(requests.begin(), requests.end()), 1);
}

TEST(RelayTest, QueuesRowsBeyondTheConnectionsItHolds) {
  CountingServer server;
  RelayBench bench(server.port());
  bench.Then(Held(2), 20, 20).Run();
  EXPECT_EQ(bench.Succeeded(), 20);
  EXPECT_EQ(server.Requests(2).size(), 2U);
}

TEST(RelayTest, OpensAHeldConnectionAnewWhereTheServerEndsIt) {
  CountingServer server(true);
  RelayBench bench(server.port());
  bench.Then(Held(2), 6).Run();
  EXPECT_EQ(bench.Succeeded(), 6);
  EXPECT_EQ(server.Requests(6), std::vector<int>(6, 1));
}

TEST(RelayTest, BeginsWithNewConnectionsWhereThePolicyChanges) {
  CountingServer server;
  RelayBench bench(server.port());
  bench.Then(kKeptAlive, 4)
      .Then(Held(3), 6)
      .Then(kOneARequest, 2)
      .Then(Held(1), 2)
      .Then(kKeptAlive, 3);
  bench.Run();
  EXPECT_EQ(bench.Succeeded(), 17);
  EXPECT_EQ(server.Requests(8), (std::vector<int>{4, 2, 2, 2, 1, 1, 2, 3}));
}

TEST(RelayTest, FailsARowThatNoHeldConnectionCouldBeOpenedFor) {
  int port = 0;
  { port = CountingServer().port(); }
  RelayBench bench(port);
  bench.Then(Held(2), 3).Run();
  EXPECT_EQ(bench.Succeeded(), 0);
}

}  // namespace
}  // namespace mlprof::agent
