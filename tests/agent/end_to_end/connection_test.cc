// The controller's end against agents that are not what they should be.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <future>

#include "common/agent_protocol/codec.h"
#include "common/agent_protocol/forward.h"
#include "common/time/monotonic_clock.h"
#include "tests/agent/end_to_end/agent_process.h"
#include "tests/fakes/refused_threads.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

struct Ends {
  UniqueFd agent;
  Result<std::unique_ptr<AgentConnection>> controller;
};

template <class... Messages>
std::string Said(const Messages&... messages) {
  std::string bytes;
  (agent_protocol::Append(bytes, messages), ...);
  return bytes;
}

// What an agent says before it is asked to start, its clock so far ahead of this one.
std::string Introduction(std::chrono::nanoseconds ahead = 0ns) {
  std::string bytes = Said(agent_protocol::Hello{});
  for (std::uint32_t number = 0; number < 8; ++number) {
    const auto at = MonotonicClock::System().Now() + ahead;
    bytes += Said(agent_protocol::ClockReading{number, at});
  }
  return bytes;
}

// A pair of sockets on whose agent end `said` has been said.
Ends Connect(const std::string& said, Deadline::Clock::duration wait = 5s) {
  int fds[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) std::abort();
  UniqueFd agent(fds[0]);
  ::send(agent.get(), said.data(), said.size(), MSG_NOSIGNAL);
  auto controller = AgentConnection::Adopt(fds[1], Deadline::After(wait));
  // The probes.
  std::array<char, 4096> asked;
  [[maybe_unused]] const ssize_t n = ::recv(agent.get(), asked.data(), asked.size(), MSG_DONTWAIT);
  return {std::move(agent), std::move(controller)};
}

void Say(const UniqueFd& agent, const std::string& bytes) {
  ::send(agent.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

TEST(AgentConnectionTest, NeedsAHelloOfItsVersionInTime) {
  EXPECT_EQ(Connect("", 20ms).controller.error().code(), ErrorCode::kDeadlineExceeded);
  EXPECT_FALSE(Connect(Said(Sample{})).controller);
  EXPECT_FALSE(Connect("GET / HTTP/1.1\r\n\r\n").controller);
  EXPECT_EQ(Connect(Said(agent_protocol::Hello{}), 20ms).controller.error().code(),
            ErrorCode::kDeadlineExceeded);
  EXPECT_TRUE(Connect(Introduction()).controller);
}

TEST(AgentConnectionTest, RefusesAnAgentOfAnotherVersionAndSaysSo) {
  for (const int version : {agent_protocol::kVersion - 1, agent_protocol::kVersion + 1}) {
    agent_protocol::Hello other;
    other.version = version;
    // Whatever else its Hello says.
    std::string said = Said(other) + "more";
    said[0] = static_cast<char>(said[0] + 4);
    const auto refused = Connect(said).controller;
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(refused.error().message(),
              "the agent speaks protocol " + std::to_string(version) + ", this controller " +
                  std::to_string(agent_protocol::kVersion) +
                  ": install mlprof-agent and mlprof-server of one version");
  }
}

TEST(AgentConnectionTest, NeedsTheClockThatItAsksFor) {
  const std::string hello = Said(agent_protocol::Hello{});
  EXPECT_FALSE(Connect(hello + Said(Sample{})).controller);
  EXPECT_FALSE(Connect(hello + Said(agent_protocol::ClockReading{7, 1s})).controller);
}

TEST(AgentConnectionTest, DeliversTheTimesOfItsOwnClock) {
  auto ends = Connect(Introduction(1h));
  ASSERT_TRUE(ends.controller);
  EXPECT_NEAR(std::chrono::duration<double>((*ends.controller)->clock_offset().ahead).count(), 3600,
              5);
  Recorder recorder;
  (*ends.controller)->Listen(&recorder);
  (*ends.controller)->SendRow({1, false, "row"});
  const auto now = MonotonicClock::System().Now();
  Sample sample;
  sample.at = now + 1h;
  agent_protocol::Response response;
  response.id = 1;
  response.read_at = now + 1h;
  response.last_byte = 2ms;
  Say(ends.agent, Said(sample, response));
  ASSERT_TRUE(recorder.WaitResponses(1));
  const auto near = [&](std::chrono::nanoseconds time) {
    return time < now + 5s && time > now - 5s;
  };
  EXPECT_TRUE(near(recorder.samples.at(0).at));
  EXPECT_TRUE(near(recorder.responses.at(0).read_at));
  EXPECT_EQ(recorder.responses.at(0).last_byte, 2ms);
}

TEST(AgentConnectionTest, WaitsForNoHelloOnceItsCallerHasGivenUp) {
  int fds[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  const UniqueFd agent(fds[0]);
  std::stop_source stop;
  auto adopted = std::async(std::launch::async, [&] {
    return AgentConnection::Adopt(fds[1], {Deadline::After(60s), stop.get_token()}).error().code();
  });
  stop.request_stop();
  ASSERT_EQ(adopted.wait_for(5s), std::future_status::ready);
  EXPECT_EQ(adopted.get(), ErrorCode::kCancelled);
}

TEST(AgentConnectionTest, WhatCameBehindTheHelloIsDelivered) {
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  Recorder recorder;
  (*ends.controller)->Listen(&recorder);
  Say(ends.agent, Said(Sample{}, agent_protocol::Ready{}));
  EXPECT_TRUE(recorder.WaitReady());
  EXPECT_EQ(recorder.samples.size(), 1u);
}

TEST(AgentConnectionTest, ABrokenProtocolClosesTheLinkOnce) {
  for (const std::string& bytes :
       {std::string("\x01\0\0\0\x63x", 6), Said(agent_protocol::Hello{}),
        Said(agent_protocol::Response{}), Said(agent_protocol::Row{}),
        Said(agent_protocol::ClockReading{}), Said(agent_protocol::Processes{}),
        Said(agent_protocol::ForwardOpen{1, 80}), Said(agent_protocol::ForwardData{1, "x"}),
        Said(agent_protocol::ForwardCredit{1, 1}), Said(agent_protocol::ForwardEnd{1}),
        Said(agent_protocol::ForwardClose{1})}) {
    auto ends = Connect(Introduction());
    ASSERT_TRUE(ends.controller);
    Recorder recorder;
    (*ends.controller)->Listen(&recorder);
    Say(ends.agent, bytes);
    ASSERT_TRUE(recorder.WaitClosed());
    EXPECT_EQ(recorder.closed->code(), ErrorCode::kInvalidArgument);
    (*ends.controller)->SendRow({1, false, "x"});  // does nothing
  }
}

TEST(AgentConnectionTest, NeedsAThread) {
  const fakes::RefusedThreads refused(1);
  const auto ends = Connect(Introduction());
  ASSERT_FALSE(ends.controller);
  EXPECT_EQ(ends.controller.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_NE(ends.controller.error().message().find("limit of threads"), std::string::npos);
}

struct ThrowingOnSamples : Recorder {
  void OnSample(const Sample&) override { throw std::bad_alloc(); }
};

TEST(AgentConnectionTest, AListenerThatThrowsClosesItsLinkAlone) {
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  ThrowingOnSamples listener;
  (*ends.controller)->Listen(&listener);
  Say(ends.agent, Said(Sample{}, agent_protocol::Ready{}));
  ASSERT_TRUE(listener.WaitClosed());
  EXPECT_EQ(listener.closed->code(), ErrorCode::kInternal);
  Recorder next;
  (*ends.controller)->Listen(&next);  // waits for no callback that never ends
  EXPECT_TRUE(next.WaitClosed());
  EXPECT_FALSE(next.ready);
}

TEST(AgentConnectionTest, AFloodClosesTheLink) {
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  Recorder recorder;
  (*ends.controller)->Listen(&recorder);
  const std::string sample = Said(Sample{});
  std::string many;
  for (int i = 0; i < 1000; ++i) many += sample;
  for (int i = 0; i < 100; ++i) Say(ends.agent, many);
  ASSERT_TRUE(recorder.WaitClosed());
  EXPECT_EQ(recorder.closed->code(), ErrorCode::kResourceExhausted);
}

TEST(AgentConnectionTest, ForwardedBytesWithinTheirCreditAreNoFlood) {
  constexpr std::size_t kMany = 30'000;
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  auto opening = std::async(std::launch::async,
                            [&] { return (*ends.controller)->Connect(80, Deadline::After(10s)); });
  const std::string open = Said(agent_protocol::ForwardOpen{1, 80});
  std::string asked(open.size(), '\0');
  ASSERT_EQ(::recv(ends.agent.get(), asked.data(), asked.size(), MSG_WAITALL), std::ssize(asked));
  EXPECT_EQ(asked, open);
  Say(ends.agent, Said(agent_protocol::ForwardCredit{1, agent_protocol::kForwardWindow}));
  const auto stream = opening.get();
  ASSERT_TRUE(stream);
  auto saying = std::async(std::launch::async, [&] {
    const std::string one = Said(agent_protocol::ForwardData{1, "x"});
    for (std::size_t i = 0; i < kMany; ++i) Say(ends.agent, one);
  });
  std::size_t got = 0;
  while (got < kMany) {
    const auto bytes = (*stream)->Read(Deadline::After(10s));
    ASSERT_TRUE(bytes) << bytes.error().message();
    got += bytes->size();
  }
  EXPECT_EQ(got, kMany);
}

TEST(AgentConnectionTest, TheEndIsToldAlsoToALateListener) {
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  Recorder first;
  (*ends.controller)->Listen(&first);
  ends.agent.Reset();
  ASSERT_TRUE(first.WaitClosed());
  EXPECT_EQ(first.closed->code(), ErrorCode::kUnavailable);
  (*ends.controller)->Listen(nullptr);
  Recorder late;
  (*ends.controller)->Listen(&late);
  EXPECT_TRUE(late.WaitClosed());
}

TEST(AgentConnectionTest, RowsSentFromACallbackGoOut) {
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  class Echo final : public AgentListener {
   public:
    explicit Echo(AgentLink& link) : link_(link) {}
    void OnResponse(const agent_protocol::Response&) override {}
    void OnSample(const Sample&) override { link_.SendRow({7, false, "from the callback"}); }
    void OnReady(const agent_protocol::Ready&) override {}
    void OnProcessEvent(const agent_protocol::ProcessEvent&) override {}
    void OnClosed(const Error&) override {}

   private:
    AgentLink& link_;
  } echo(**ends.controller);
  (*ends.controller)->Listen(&echo);
  Say(ends.agent, Said(Sample{}));
  const std::string expected = Said(agent_protocol::Row{7, false, "from the callback"});
  std::string got(expected.size(), '\0');
  ASSERT_EQ(::recv(ends.agent.get(), got.data(), got.size(), MSG_WAITALL),
            static_cast<ssize_t>(got.size()));
  EXPECT_EQ(got, expected);
  (*ends.controller)->Listen(nullptr);
}

TEST(AgentConnectionTest, ListenWaitsForTheRunningCallback) {
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  class Slow final : public AgentListener {
   public:
    void OnResponse(const agent_protocol::Response&) override {}
    void OnSample(const Sample&) override {
      entered.set_value();
      leave.get_future().wait();
      left = true;
    }
    void OnReady(const agent_protocol::Ready&) override {}
    void OnProcessEvent(const agent_protocol::ProcessEvent&) override {}
    void OnClosed(const Error&) override {}
    std::promise<void> entered;
    std::promise<void> leave;
    std::atomic<bool> left = false;
  } slow;
  (*ends.controller)->Listen(&slow);
  Say(ends.agent, Said(Sample{}));
  slow.entered.get_future().wait();
  auto removed = std::async(std::launch::async, [&] {
    (*ends.controller)->Listen(nullptr);
    return slow.left.load();
  });
  slow.leave.set_value();
  EXPECT_TRUE(removed.get());
}

TEST(AgentConnectionTest, ATooLargeRowClosesTheLinkWithItsCause) {
  auto ends = Connect(Introduction());
  ASSERT_TRUE(ends.controller);
  Recorder recorder;
  (*ends.controller)->Listen(&recorder);
  agent_protocol::Row row;
  row.body.resize(agent_protocol::kMaxRowBody + 1);
  (*ends.controller)->SendRow(row);
  ASSERT_TRUE(recorder.WaitClosed());
  EXPECT_EQ(recorder.closed->code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace mlprof::server
