// Ports forwarded through the agent program.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>

#include "common/agent_protocol/forward.h"
#include "server/runtime/forward/forwarded_port.h"
#include "tests/agent/end_to_end/agent_process.h"
#include "tests/fakes/tcp_server.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
using agent_protocol::kForwardWindow;
using agent_protocol::ProcessEvent;

Deadline InTime() { return Deadline::After(20s); }

std::unique_ptr<PortStream> ConnectedTo(AgentLink& link, int port) {
  auto stream = link.Connect(port, InTime());
  if (!stream) ADD_FAILURE() << stream.error().message();
  return stream ? std::move(*stream) : nullptr;
}

std::string ReadStream(PortStream& stream, std::size_t until = ~std::size_t{0}) {
  std::string all;
  while (all.size() < until) {
    const auto bytes = stream.Read(InTime());
    if (!bytes) ADD_FAILURE() << bytes.error().message();
    if (!bytes || bytes->empty()) break;
    all += *bytes;
  }
  return all;
}

// Bytes whose order and number can be checked.
std::string Pattern(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

TEST(TunnelTest, CarriesBytesBothWaysUntilBothHaveEnded) {
  const fakes::TcpServer server(fakes::ServeEcho);
  AgentProcess agent;
  const auto stream = ConnectedTo(agent.link(), server.port());
  ASSERT_TRUE(stream);
  ASSERT_TRUE(stream->Write("hello", InTime()));
  EXPECT_EQ(ReadStream(*stream, 5), "hello");
  stream->CloseWrite();
  EXPECT_EQ(ReadStream(*stream), "");
}

TEST(TunnelTest, ReachesAServerThatListensOnIpv6Alone) {
  const fakes::TcpServer server(fakes::ServeEcho, true);
  if (server.port() == 0) GTEST_SKIP() << "this machine has no ::1";
  AgentProcess agent;
  const auto stream = ConnectedTo(agent.link(), server.port());
  ASSERT_TRUE(stream);
  ASSERT_TRUE(stream->Write("hello", InTime()));
  EXPECT_EQ(ReadStream(*stream, 5), "hello");
}

TEST(TunnelTest, TellsThatNothingListens) {
  AgentProcess agent;
  const auto refused = agent.link().Connect(FreePort(), InTime());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(refused.error().message().find("nothing listens"), std::string::npos);
  EXPECT_EQ(agent.link().Connect(0, InTime()).error().code(), ErrorCode::kInvalidArgument);
}

TEST(TunnelTest, RespectsAHalfCloseOfEitherSide) {
  const fakes::TcpServer counts(
      [](int fd) { fakes::SendWhole(fd, std::to_string(fakes::ReadToEnd(fd).size()) + " bytes"); });
  std::promise<std::string> heard;
  const fakes::TcpServer ends_first([&](int fd) {
    fakes::SendWhole(fd, "done");
    ::shutdown(fd, SHUT_WR);
    heard.set_value(fakes::ReadToEnd(fd));
  });
  AgentProcess agent;
  const auto asking = ConnectedTo(agent.link(), counts.port());
  const auto telling = ConnectedTo(agent.link(), ends_first.port());
  ASSERT_TRUE(asking && telling);
  ASSERT_TRUE(asking->Write(std::string(100'000, 'x'), InTime()));
  asking->CloseWrite();
  EXPECT_EQ(ReadStream(*asking), "100000 bytes");
  EXPECT_EQ(ReadStream(*telling), "done");
  ASSERT_TRUE(telling->Write("and more", InTime()));
  telling->CloseWrite();
  EXPECT_EQ(heard.get_future().get(), "and more");
}

TEST(TunnelTest, MovesBulkBothWaysWhileRowsGetResponsesAndSamplesCome) {
  constexpr std::size_t kBulk = 64u << 20;
  constexpr std::size_t kRows = 50;
  const fakes::TcpServer server(fakes::ServeEcho);
  AgentProcess agent;
  agent.link().Start(StartOfStaticServer(FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const auto stream = ConnectedTo(agent.link(), server.port());
  ASSERT_TRUE(stream);
  const std::string pattern = Pattern(1 << 20);
  std::atomic<bool> rows_done = false;
  // Until all rows are answered: none of them has a quiet connection.
  auto writing = std::async(std::launch::async, [&] {
    std::size_t sent = 0;
    while ((sent < kBulk || !rows_done) && stream->Write(pattern, InTime())) {
      sent += pattern.size();
    }
    stream->CloseWrite();
    return sent;
  });
  auto reading = std::async(std::launch::async, [&] {
    std::size_t got = 0;
    for (auto bytes = stream->Read(InTime()); bytes && !bytes->empty();
         bytes = stream->Read(InTime())) {
      for (const char byte : *bytes) {
        if (byte != pattern[got++ % pattern.size()]) return std::size_t{0};
      }
    }
    return got;
  });
  bool responded = true;
  for (std::size_t rows = 0; rows < kRows && responded; ++rows) {
    agent.link().SendRow({rows, false, "row"});
    responded = agent.recorder().WaitResponses(rows + 1);
  }
  rows_done = true;
  EXPECT_TRUE(responded);
  const std::size_t sent = writing.get();
  EXPECT_GE(sent, kBulk);
  EXPECT_EQ(reading.get(), sent);
  for (const auto& response : agent.recorder().responses) EXPECT_TRUE(response.Succeeded());
  EXPECT_TRUE(agent.recorder().Wait([&] { return agent.recorder().samples.size() > 10; }));
}

TEST(TunnelTest, AReaderThatWaitsHoldsUpNothingButItsOwnStream) {
  constexpr std::size_t kFlood = 32u << 20;
  std::atomic<std::size_t> taken = 0;
  const fakes::TcpServer flood([&](int fd) {
    const std::string piece(64 << 10, 'f');
    while (taken < kFlood && fakes::SendWhole(fd, piece)) taken += piece.size();
  });
  const fakes::TcpServer echo(fakes::ServeEcho);
  AgentProcess agent;
  agent.link().Start(StartOfStaticServer(FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const auto stream = ConnectedTo(agent.link(), flood.port());
  ASSERT_TRUE(stream);
  EXPECT_EQ(ReadStream(*stream, 1).empty(), false);
  const auto other = ConnectedTo(agent.link(), echo.port());
  ASSERT_TRUE(other);
  for (std::size_t row = 0; row < 50; ++row) {
    agent.link().SendRow({row, false, "row"});
    ASSERT_TRUE(agent.recorder().WaitResponses(row + 1));
    ASSERT_TRUE(other->Write("ping", InTime()));
    EXPECT_EQ(ReadStream(*other, 4), "ping");
  }
  EXPECT_LT(taken, kFlood);
  std::size_t got = 0;
  while (got + kForwardWindow < kFlood) {
    const auto bytes = stream->Read(InTime());
    ASSERT_TRUE(bytes);
    ASSERT_LE(bytes->size(), kForwardWindow);
    got += bytes->size();
  }
}

TEST(TunnelTest, TellsABrokenConnectionFromAnEndedOne) {
  const fakes::TcpServer server([](int fd) {
    char byte = 0;
    ::recv(fd, &byte, 1, 0);
    const linger at_once{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  });
  AgentProcess agent;
  const auto stream = ConnectedTo(agent.link(), server.port());
  ASSERT_TRUE(stream);
  ASSERT_TRUE(stream->Write("x", InTime()));
  const auto broken = stream->Read(InTime());
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(broken.error().message().find("broken from within"), std::string::npos);
}

TEST(TunnelTest, AResponseToARequestThatWasNotReadIsCarried) {
  const fakes::TcpServer server([](int fd) {
    char byte = 0;
    ::recv(fd, &byte, 1, 0);
    fakes::SendWhole(fd, "413");
    ::shutdown(fd, SHUT_WR);
  });
  AgentProcess agent;
  const auto stream = ConnectedTo(agent.link(), server.port());
  ASSERT_TRUE(stream);
  (void)stream->Write(std::string(1 << 20, 'x'), Deadline::After(100ms));
  const auto response = stream->Read(InTime());
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(*response, "413");
}

TEST(TunnelTest, TheModelsEndClosesItsStreamsWithThatReason) {
  const fakes::TcpServer server(fakes::ServeEcho);
  AgentProcess agent;
  agent.link().Start(StartOfStaticServer(FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const auto stream = ConnectedTo(agent.link(), server.port());
  ASSERT_TRUE(stream);
  auto reading = std::async(std::launch::async, [&] { return stream->Read(InTime()); });
  const auto started = agent.recorder().WaitEvent(ProcessEvent::Kind::kStarted);
  ASSERT_TRUE(started);
  ::kill(static_cast<pid_t>(started->pid), SIGKILL);
  const auto over = reading.get();
  ASSERT_FALSE(over);
  EXPECT_NE(over.error().message().find("the model ended"), std::string::npos);
  const auto late = agent.link().Connect(server.port(), InTime());
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message().find("the model ended"), std::string::npos);
}

TEST(TunnelTest, StreamsEndWithTheirLinkAndMayOutliveIt) {
  const fakes::TcpServer server(fakes::ServeEcho);
  std::unique_ptr<PortStream> stream;
  std::future<Result<std::string>> reading;
  {
    AgentProcess agent;
    stream = ConnectedTo(agent.link(), server.port());
    ASSERT_TRUE(stream);
    reading = std::async(std::launch::async, [&] { return stream->Read(InTime()); });
  }
  EXPECT_EQ(reading.get().error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(stream->Write("x", InTime()).error().code(), ErrorCode::kUnavailable);
}

TEST(TunnelTest, AStreamThatWasClosedMakesRoomForAnother) {
  const fakes::TcpServer server(fakes::ServeEcho);
  AgentProcess agent;
  std::vector<std::unique_ptr<PortStream>> open;
  for (std::size_t i = 0; i < agent_protocol::kMaxForwards; ++i) {
    open.push_back(ConnectedTo(agent.link(), server.port()));
  }
  EXPECT_EQ(agent.link().Connect(server.port(), InTime()).error().code(),
            ErrorCode::kResourceExhausted);
  open.pop_back();
  // The agent's word of it is on its way.
  const Deadline deadline = InTime();
  while (open.size() < agent_protocol::kMaxForwards && !deadline.Passed()) {
    if (auto again = agent.link().Connect(server.port(), deadline)) {
      open.push_back(std::move(*again));
    }
  }
  EXPECT_EQ(open.size(), agent_protocol::kMaxForwards);
}

// What a client library does that dials a Unix socket.
std::string GetOver(const std::filesystem::path& socket, const std::string& path) {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(fd.get(), where, sizeof address) != 0) return "no connection";
  fakes::SendWhole(fd.get(), "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ::shutdown(fd.get(), SHUT_WR);
  return fakes::ReadToEnd(fd.get());
}

TEST(TunnelTest, AModelRespondsOverAUnixSocketOfThisMachine) {
  AgentProcess agent;
  const int port = FreePort();
  agent.link().Start(StartOfStaticServer(port));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const auto forwarded = ForwardedPort::Start(
      std::filesystem::temp_directory_path(),
      [&](Deadline deadline) { return agent.link().Connect(port, deadline); }, 20s);
  ASSERT_TRUE(forwarded) << forwarded.error().message();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(GetOver((*forwarded)->socket(), "/").rfind("HTTP/1.1 200", 0), 0u);
  }
}

}  // namespace
}  // namespace mlprof::server
