#include "agent/tunnel/tunnel.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <future>
#include <vector>

#include "tests/fakes/tcp_server.h"

namespace mlprof::agent {
namespace {

using namespace std::chrono_literals;
using agent_protocol::ForwardClose;
using agent_protocol::ForwardCredit;
using agent_protocol::ForwardData;
using agent_protocol::ForwardEnd;
using agent_protocol::ForwardMessage;
using agent_protocol::ForwardOpen;
using agent_protocol::kForwardWindow;

class DeafListener final : public ControllerListener {
  void OnStart(const agent_protocol::Start&) override {}
  void OnRow(const agent_protocol::RowView&, Clock::time_point) override {}
  void OnConnections(const agent_protocol::Connections&) override {}
  void OnCensusQuestion(const agent_protocol::CensusQuestion&) override {}
  void OnStop(const agent_protocol::Stop&) override {}
  Status OnForward(const ForwardMessage&) override { return {}; }
  void OnControllerGone(const Error&) override {}
};

class AgentTunnelTest : public ::testing::Test {
 protected:
  AgentTunnelTest() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    controller_.Reset(ends[0]);
    link_.emplace(loop_, UniqueFd(ends[1]), listener_);
    tunnel_.emplace(loop_, *link_);
  }

  /// Runs the loop; `step` is called after each batch with the kinds of all frames that were said
  /// so far, and ends it by returning true. Fails after ten seconds.
  template <class Step>
  void Run(const Step& step) {
    loop_.At(Clock::now() + 10s, [this] {
      ADD_FAILURE() << "nothing more came";
      loop_.Stop();
    });
    loop_.Run([&] {
      link_->Flush();
      Hear();
      if (step()) loop_.Stop();
    });
  }
  void Hear() {
    const auto space = decoder_.Space();
    const ssize_t n = ::recv(controller_.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (n > 0) decoder_.Commit(static_cast<std::size_t>(n));
    for (auto frame = decoder_.Next(); frame && *frame; frame = decoder_.Next()) {
      const auto message = agent_protocol::DecodeForward(**frame).value();
      connected_ |= std::holds_alternative<ForwardCredit>(message);
      if (const auto* data = std::get_if<ForwardData>(&message)) heard_ += data->bytes;
    }
  }
  bool Breaks(const ForwardMessage& message) { return !tunnel_->On(message); }

  EventLoop loop_ = EventLoop::Open().value();
  DeafListener listener_;
  UniqueFd controller_;
  std::optional<ControllerLink> link_;
  std::optional<Tunnel> tunnel_;
  agent_protocol::FrameDecoder decoder_{agent_protocol::Sender::kAgent};
  bool connected_ = false;
  std::string heard_;
};

TEST_F(AgentTunnelTest, WordsOfAStreamThatIsNotOpenBreakTheProtocol) {
  EXPECT_TRUE(Breaks(ForwardData{1, "x"}));
  EXPECT_TRUE(Breaks(ForwardCredit{1, 1}));
  EXPECT_TRUE(Breaks(ForwardEnd{1}));
  EXPECT_TRUE(Breaks(ForwardClose{1}));
}

TEST_F(AgentTunnelTest, WordsBeforeItIsConnectedBreakTheProtocol) {
  const fakes::TcpServer server(fakes::ServeEcho);
  ASSERT_FALSE(Breaks(ForwardOpen{3, server.port()}));
  EXPECT_TRUE(Breaks(ForwardOpen{3, server.port()}));
  EXPECT_TRUE(Breaks(ForwardOpen{2, server.port()}));
  EXPECT_TRUE(Breaks(ForwardData{3, "x"}));
  EXPECT_TRUE(Breaks(ForwardCredit{3, 1}));
  EXPECT_TRUE(Breaks(ForwardEnd{3}));
  EXPECT_FALSE(Breaks(ForwardClose{3}));
  EXPECT_TRUE(Breaks(ForwardClose{3}));
}

TEST_F(AgentTunnelTest, BytesBeyondTheCreditBreakTheProtocol) {
  // Takes nothing: whatever is granted is what was there from the beginning.
  std::promise<void> over;
  const fakes::TcpServer deaf([&](int) { over.get_future().wait(); });
  ASSERT_FALSE(Breaks(ForwardOpen{1, deaf.port()}));
  Run([&] { return connected_; });
  const std::string piece(agent_protocol::kMaxForwardData, 'x');
  std::size_t taken = 0;
  while (taken < (64u << 20) && !Breaks(ForwardData{1, piece})) taken += piece.size();
  // A window here, and what the kernel's buffers of the connection took and so was granted anew.
  EXPECT_GE(taken, kForwardWindow);
  EXPECT_LT(taken, 64u << 20);
  tunnel_->Drop();
  over.set_value();
}

TEST_F(AgentTunnelTest, AnEndComesOnce) {
  const fakes::TcpServer server(fakes::ServeEcho);
  ASSERT_FALSE(Breaks(ForwardOpen{1, server.port()}));
  Run([&] { return connected_; });
  EXPECT_FALSE(Breaks(ForwardEnd{1}));
  EXPECT_TRUE(Breaks(ForwardEnd{1}));
  EXPECT_TRUE(Breaks(ForwardData{1, "x"}));
}

TEST_F(AgentTunnelTest, MoreStreamsThanAllowedBreakTheProtocol) {
  const fakes::TcpServer server(fakes::ServeEcho);
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < agent_protocol::kMaxForwards; ++i) {
    ASSERT_FALSE(Breaks(ForwardOpen{++id, server.port()}));
  }
  EXPECT_TRUE(Breaks(ForwardOpen{++id, server.port()}));
  EXPECT_FALSE(Breaks(ForwardClose{1}));
  EXPECT_FALSE(Breaks(ForwardOpen{++id, server.port()}));
  tunnel_->Drop();
}

TEST_F(AgentTunnelTest, TheModelsBytesWaitInTheirSocketWhileTheLinkIsBusy) {
  std::promise<void> sent;
  const fakes::TcpServer server([&](int fd) {
    fakes::SendWhole(fd, "hello");
    sent.set_value();
    fakes::ReadToEnd(fd);
  });
  tunnel_->SetRoom(false);
  ASSERT_FALSE(Breaks(ForwardOpen{1, server.port()}));
  int batches = 0;
  Run([&] {
    if (!connected_) return false;
    if (++batches == 1) sent.get_future().wait();
    if (batches > 3) return heard_ == "hello";
    // It lies in the socket, and is not read in the turns that follow.
    EXPECT_EQ(heard_, "");
    if (batches == 3) tunnel_->SetRoom(true);
    loop_.At(Clock::now(), [] {});
    return false;
  });
  tunnel_->Drop();
}

// Where nobody listens the kernel may choose the very port as that of the calling end.
TEST(LoopbackConnectTest, AConnectionThatMetItselfIsRefused) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(fd.get(), generic, size), 0);
  ASSERT_EQ(::getsockname(fd.get(), generic, &size), 0);
  ASSERT_EQ(::connect(fd.get(), generic, size), 0);
  EXPECT_EQ(FailedConnect(fd.get()), ECONNREFUSED);
}

TEST(LoopbackConnectTest, AnOrdinaryOneIsConnected) {
  const fakes::TcpServer server(fakes::ServeEcho);
  const UniqueFd fd = BeginConnect(Loopback::kIpv4, server.port());
  ASSERT_TRUE(fd);
  pollfd waiting{fd.get(), POLLOUT, 0};
  ASSERT_EQ(::poll(&waiting, 1, 10'000), 1);
  EXPECT_EQ(FailedConnect(fd.get()), 0);
}

}  // namespace
}  // namespace mlprof::agent
