#include "common/os/byte_pump.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>
#include <string>
#include <thread>

#include "common/os/unique_fd.h"

namespace mlprof {
namespace {

using namespace std::chrono_literals;

// A pump between two connections, with their far ends in hand.
class BytePump : public ::testing::Test {
 protected:
  BytePump() {
    Pair(client, first);
    Pair(server, second);
  }
  ~BytePump() override {
    client.Reset();
    server.Reset();
    if (thread.joinable()) thread.request_stop();
  }
  static void Pair(UniqueFd& a, UniqueFd& b) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    a.Reset(ends[0]);
    b.Reset(ends[1]);
  }
  void Start(PumpWays ways, std::chrono::milliseconds idle = 1min) {
    thread = std::jthread([=, this](const std::stop_token& stop) {
      PumpBytes(first.get(), second.get(), ways, idle, stop);
      over.set_value();
    });
  }
  static void Say(const UniqueFd& fd, const std::string& text) {
    ASSERT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  static std::string Hear(const UniqueFd& fd, std::size_t size) {
    std::string text(size, '\0');
    const ssize_t count = ::recv(fd.get(), text.data(), size, MSG_WAITALL);
    return text.substr(0, count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  bool Ended() { return over.get_future().wait_for(10s) == std::future_status::ready; }

  UniqueFd client, first, second, server;
  std::promise<void> over;
  std::jthread thread;
};

TEST_F(BytePump, CarriesBothWaysAndClosesEachByItself) {
  Start(PumpWays::kBoth);
  Say(client, "question");
  EXPECT_EQ(Hear(server, 8), "question");
  ::shutdown(client.get(), SHUT_WR);
  EXPECT_EQ(Hear(server, 1), "");
  Say(server, "response");
  EXPECT_EQ(Hear(client, 8), "response");
  ::shutdown(server.get(), SHUT_WR);
  EXPECT_TRUE(Ended());
}

TEST_F(BytePump, CarriesMoreThanSocketsHold) {
  Start(PumpWays::kBoth);
  const std::string much(8u << 20, 'x');
  const auto heard = std::async(std::launch::async, [&] { return Hear(server, 8u << 20).size(); });
  std::size_t sent = 0;
  while (sent < much.size()) {
    const ssize_t count = ::send(client.get(), much.data() + sent, much.size() - sent, 0);
    ASSERT_GT(count, 0);
    sent += static_cast<std::size_t>(count);
  }
  heard.wait();
}

TEST_F(BytePump, EndsWhenAnEndIsGone) {
  Start(PumpWays::kBoth);
  server.Reset();
  client.Reset();
  EXPECT_TRUE(Ended());
}

TEST_F(BytePump, CarriesAResponseToAClientThatHasClosedItsHalf) {
  ::shutdown(client.get(), SHUT_WR);
  Start(PumpWays::kToFirst);
  Say(server, "response");
  EXPECT_EQ(Hear(client, 8), "response");
  server.Reset();
  EXPECT_TRUE(Ended());
}

TEST_F(BytePump, LetsNoByteOfAClientThatHasItsResponseThrough) {
  Start(PumpWays::kToFirst);
  Say(server, "response");
  EXPECT_EQ(Hear(client, 8), "response");
  Say(client, "another request");
  EXPECT_TRUE(Ended());
  char byte = 0;
  EXPECT_EQ(::recv(server.get(), &byte, 1, MSG_DONTWAIT), -1);
}

TEST_F(BytePump, GivesUpWhenIdleAndWhenStopped) {
  Start(PumpWays::kBoth, 20ms);
  EXPECT_TRUE(Ended());
  thread.join();
  over = {};
  Start(PumpWays::kBoth);
  thread.request_stop();
  EXPECT_TRUE(Ended());
}

}  // namespace
}  // namespace mlprof
