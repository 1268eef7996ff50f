#include "common/agent_protocol/forward.h"

#include <gtest/gtest.h>

namespace mlprof::agent_protocol {
namespace {

constexpr FrameType kForwardTypes[] = {FrameType::kForwardOpen, FrameType::kForwardData,
                                       FrameType::kForwardCredit, FrameType::kForwardEnd,
                                       FrameType::kForwardClose};

// The message's own frame, decoded; what it views lies in `frame`.
template <class Message>
Result<ForwardMessage> ThereAndBack(const Message& message, std::string& frame) {
  frame.clear();
  Append(frame, message);
  const auto type = static_cast<FrameType>(frame[4]);
  return DecodeForward({type, std::string_view(frame).substr(kFrameHeaderBytes)});
}

template <class Message>
bool IsRefused(const Message& message) {
  std::string frame;
  return !ThereAndBack(message, frame);
}

TEST(ForwardCodecTest, MessagesComeBackWhole) {
  std::string frame;
  const auto open = std::get<ForwardOpen>(ThereAndBack(ForwardOpen{7, 65535}, frame).value());
  EXPECT_EQ(open.stream, 7u);
  EXPECT_EQ(open.port, 65535);
  const std::string bytes("a\0b", 3);
  const auto data = std::get<ForwardData>(ThereAndBack(ForwardData{8, bytes}, frame).value());
  EXPECT_EQ(data.stream, 8u);
  EXPECT_EQ(data.bytes, bytes);
  const ForwardCredit most{9, kForwardWindow};
  const auto credit = std::get<ForwardCredit>(ThereAndBack(most, frame).value());
  EXPECT_EQ(credit.stream, 9u);
  EXPECT_EQ(credit.bytes, kForwardWindow);
  EXPECT_EQ(std::get<ForwardEnd>(ThereAndBack(ForwardEnd{10}, frame).value()).stream, 10u);
  const ForwardClose failed{11, ForwardClose::Reason::kFailed, "no descriptors"};
  const auto close = std::get<ForwardClose>(ThereAndBack(failed, frame).value());
  EXPECT_EQ(close.stream, 11u);
  EXPECT_EQ(close.reason, ForwardClose::Reason::kFailed);
  EXPECT_EQ(close.detail, "no descriptors");
}

TEST(ForwardCodecTest, ValuesWithoutSenseAreRefused) {
  EXPECT_TRUE(IsRefused(ForwardOpen{1, 0}));
  EXPECT_TRUE(IsRefused(ForwardData{1, ""}));
  EXPECT_TRUE(IsRefused(ForwardData{1, std::string(kMaxForwardData + 1, 'x')}));
  EXPECT_TRUE(IsRefused(ForwardCredit{1, 0}));
  EXPECT_TRUE(IsRefused(ForwardCredit{1, kForwardWindow + 1}));
  EXPECT_TRUE(IsRefused(ForwardClose{1, static_cast<ForwardClose::Reason>(5)}));
}

TEST(ForwardCodecTest, ATruncatedOrPaddedMessageIsRefused) {
  const auto expect_exact = [](FrameType type, std::string_view payload) {
    for (std::size_t cut = 0; cut < payload.size(); ++cut) {
      EXPECT_FALSE(DecodeForward({type, payload.substr(0, cut)})) << cut;
    }
    EXPECT_FALSE(DecodeForward({type, std::string(payload) + "x"}));
  };
  std::string frame;
  Append(frame, ForwardOpen{1, 80});
  expect_exact(FrameType::kForwardOpen, frame.substr(kFrameHeaderBytes));
  frame.clear();
  Append(frame, ForwardCredit{1, 80});
  expect_exact(FrameType::kForwardCredit, frame.substr(kFrameHeaderBytes));
  frame.clear();
  Append(frame, ForwardEnd{1});
  expect_exact(FrameType::kForwardEnd, frame.substr(kFrameHeaderBytes));
  frame.clear();
  Append(frame, ForwardClose{1});
  expect_exact(FrameType::kForwardClose, frame.substr(kFrameHeaderBytes));
}

TEST(ForwardCodecTest, ALongDetailIsCut) {
  std::string frame;
  const ForwardClose sent{1, ForwardClose::Reason::kFailed, std::string(5000, 'x')};
  const auto close = std::get<ForwardClose>(ThereAndBack(sent, frame).value());
  EXPECT_EQ(close.detail.size(), kMaxForwardDetail);
}

TEST(ForwardCodecTest, OnlyTheControllerOpens) {
  EXPECT_EQ(MaxPayload(Sender::kAgent, FrameType::kForwardOpen), 0u);
  for (const FrameType type : kForwardTypes) {
    EXPECT_GT(MaxPayload(Sender::kController, type), 0u);
    EXPECT_TRUE(IsForward(type));
  }
  EXPECT_FALSE(IsForward(FrameType::kConnections));
}

TEST(ForwardWindowTest, ASenderNeverHasMoreCreditThanAWindow) {
  SendWindow window(0);
  EXPECT_TRUE(window.Grant(kForwardWindow));
  EXPECT_FALSE(window.Grant(1));
  window.Take(100);
  EXPECT_FALSE(window.Grant(101));
  EXPECT_TRUE(window.Grant(100));
  EXPECT_EQ(window.credit(), kForwardWindow);
}

TEST(ForwardWindowTest, AReceiverTakesNoMoreThanItGranted) {
  ReceiveWindow closed(0);
  EXPECT_FALSE(closed.Accept(1));
  ReceiveWindow window(kForwardWindow);
  EXPECT_TRUE(window.Accept(kForwardWindow));
  EXPECT_FALSE(window.Accept(1));
}

TEST(ForwardWindowTest, CreditIsGrantedInHalvesOfAWindowForWhatWasTaken) {
  ReceiveWindow window(kForwardWindow);
  ASSERT_TRUE(window.Accept(kForwardWindow));
  EXPECT_EQ(window.Consume(kForwardWindow / 2 - 1), 0u);
  EXPECT_FALSE(window.Accept(1));
  EXPECT_EQ(window.Consume(2), kForwardWindow / 2 + 1);
  EXPECT_TRUE(window.Accept(kForwardWindow / 2 + 1));
  EXPECT_FALSE(window.Accept(1));
}

// Whatever is taken in whatever pieces: a sender is never left without credit by a receiver that
// has taken everything, and what waits is never more than a window.
TEST(ForwardWindowTest, NeverStandsStillAndNeverHoldsMoreThanAWindow) {
  SendWindow send(kForwardWindow);
  ReceiveWindow receive(kForwardWindow);
  std::size_t waiting = 0;
  for (std::size_t step = 1; step < 20'000; ++step) {
    const std::size_t sent = std::min(send.credit(), step * 7919 % kMaxForwardData + 1);
    send.Take(sent);
    ASSERT_TRUE(receive.Accept(sent));
    waiting += sent;
    ASSERT_LE(waiting, kForwardWindow);
    const std::size_t taken = std::min(waiting, step * 104729 % (2 * kMaxForwardData));
    waiting -= taken;
    if (const auto granted = receive.Consume(taken); granted > 0) {
      ASSERT_TRUE(send.Grant(granted));
    }
    if (waiting == 0) {
      ASSERT_GT(send.credit(), 0u);
    }
  }
}

}  // namespace
}  // namespace mlprof::agent_protocol
