#include "server/runtime/forward/forward_streams.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
using agent_protocol::ForwardClose;
using agent_protocol::ForwardCredit;
using agent_protocol::ForwardData;
using agent_protocol::ForwardEnd;
using agent_protocol::ForwardMessage;
using agent_protocol::ForwardOpen;
using agent_protocol::kForwardWindow;

// Keeps in words what the streams say.
class RecordingCarrier final : public ForwardCarrier {
 public:
  void SendForward(const ForwardMessage& message) override {
    const std::lock_guard lock(mutex_);
    if (std::holds_alternative<ForwardOpen>(message)) said_ += "open ";
    if (const auto* data = std::get_if<ForwardData>(&message)) sent_ += data->bytes.size();
    if (std::holds_alternative<ForwardCredit>(message)) said_ += "credit ";
    if (std::holds_alternative<ForwardEnd>(message)) said_ += "end ";
    if (std::holds_alternative<ForwardClose>(message)) said_ += "close ";
    changed_.notify_all();
  }
  bool HasRoom() override {
    const std::lock_guard lock(mutex_);
    asked_for_room_ = true;
    changed_.notify_all();
    return room_;
  }

  std::string Said() {
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, "");
  }
  std::size_t sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  void SetRoom(bool room) {
    const std::lock_guard lock(mutex_);
    room_ = room;
  }
  void AwaitOpen() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return said_.find("open") != std::string::npos; });
  }
  void AwaitQuestionForRoom() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return asked_for_room_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string said_;
  std::size_t sent_ = 0;
  bool room_ = true;
  bool asked_for_room_ = false;
};

class ForwardStreamsTest : public ::testing::Test {
 protected:
  ~ForwardStreamsTest() override { streams_->End(Unavailable("the test is over")); }

  static Deadline Soon() { return Deadline::After(10s); }
  static Deadline Now() { return Deadline::After(0ms); }

  std::future<Result<std::unique_ptr<PortStream>>> Opening() {
    auto opening = std::async(std::launch::async,
                              [this] { return CarriedStream::Open(streams_, 6000, Soon()); });
    carrier_.AwaitOpen();
    return opening;
  }
  std::unique_ptr<PortStream> Connected() {
    auto opening = Opening();
    EXPECT_TRUE(streams_->On(ForwardCredit{++opened_, kForwardWindow}));
    carrier_.Said();
    return opening.get().value();
  }

  RecordingCarrier carrier_;
  std::shared_ptr<ForwardStreams> streams_ = std::make_shared<ForwardStreams>(carrier_);
  std::uint32_t opened_ = 0;
};

TEST_F(ForwardStreamsTest, AnOpeningIsToldWhyItWasRefused) {
  auto opening = Opening();
  ASSERT_TRUE(streams_->On(ForwardClose{1, ForwardClose::Reason::kRefused}));
  const auto refused = opening.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().message(), "nothing listens on port 6000 of the container");
  EXPECT_EQ(carrier_.Said(), "open close ");
}

TEST_F(ForwardStreamsTest, AnOpeningThatTakesTooLongIsTakenBack) {
  EXPECT_EQ(CarriedStream::Open(streams_, 6000, Now()).error().code(),
            ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(carrier_.Said(), "open close ");
  // The agent had connected meanwhile.
  EXPECT_TRUE(streams_->On(ForwardCredit{1, kForwardWindow}));
  EXPECT_TRUE(streams_->On(ForwardData{1, "late"}));
  EXPECT_TRUE(streams_->On(ForwardClose{1}));
  EXPECT_EQ(carrier_.Said(), "");
}

TEST_F(ForwardStreamsTest, PortsThatAreNoneAreNotAskedFor) {
  for (const int port : {-1, 0, 65536}) {
    EXPECT_EQ(CarriedStream::Open(streams_, port, Soon()).error().code(),
              ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(carrier_.Said(), "");
}

TEST_F(ForwardStreamsTest, StreamsCountUntilTheAgentHasClosedThem) {
  std::vector<std::unique_ptr<PortStream>> open;
  for (std::size_t i = 0; i < agent_protocol::kMaxForwards; ++i) open.push_back(Connected());
  const auto code = [this] { return CarriedStream::Open(streams_, 6000, Now()).error().code(); };
  EXPECT_EQ(code(), ErrorCode::kResourceExhausted);
  open.front()->Close();
  EXPECT_EQ(code(), ErrorCode::kResourceExhausted);
  ASSERT_TRUE(streams_->On(ForwardClose{1}));
  EXPECT_EQ(code(), ErrorCode::kDeadlineExceeded);
}

TEST_F(ForwardStreamsTest, NoMoreIsWrittenThanWasGranted) {
  const auto stream = Connected();
  EXPECT_EQ(stream->Write(std::string(kForwardWindow + 1, 'x'), Now()).error().code(),
            ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(carrier_.sent(), kForwardWindow);
  ASSERT_TRUE(streams_->On(ForwardCredit{1, 10}));
  EXPECT_TRUE(stream->Write("0123456789", Now()));
  EXPECT_FALSE(stream->Write("x", Now()));
  EXPECT_EQ(carrier_.sent(), kForwardWindow + 10);
}

TEST_F(ForwardStreamsTest, BytesWaitWhileTheConnectionIsBusy) {
  const auto stream = Connected();
  carrier_.SetRoom(false);
  auto writing = std::async(std::launch::async, [&] { return stream->Write("bulk", Soon()); });
  carrier_.AwaitQuestionForRoom();
  EXPECT_EQ(carrier_.sent(), 0u);
  carrier_.SetRoom(true);
  streams_->OnRoom();
  EXPECT_TRUE(writing.get());
  EXPECT_EQ(carrier_.sent(), 4u);
}

TEST_F(ForwardStreamsTest, CreditIsGivenForWhatWasReadAlone) {
  const auto stream = Connected();
  const std::string piece(agent_protocol::kMaxForwardData, 'x');
  for (std::size_t sent = 0; sent < kForwardWindow; sent += piece.size()) {
    ASSERT_TRUE(streams_->On(ForwardData{1, piece}));
  }
  EXPECT_EQ(carrier_.Said(), "");
  EXPECT_EQ(stream->Read(Now())->size(), kForwardWindow);
  EXPECT_EQ(carrier_.Said(), "credit ");
  EXPECT_EQ(stream->Read(Now()).error().code(), ErrorCode::kDeadlineExceeded);
}

TEST_F(ForwardStreamsTest, EachWayEndsByItself) {
  const auto stream = Connected();
  ASSERT_TRUE(streams_->On(ForwardData{1, "last words"}));
  ASSERT_TRUE(streams_->On(ForwardEnd{1}));
  EXPECT_EQ(stream->Read(Now()).value(), "last words");
  EXPECT_EQ(stream->Read(Now()).value(), "");
  EXPECT_TRUE(stream->Write("still heard", Now()));
  stream->CloseWrite();
  stream->CloseWrite();
  EXPECT_EQ(carrier_.Said(), "end ");
  EXPECT_EQ(stream->Write("x", Now()).error().code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(streams_->On(ForwardClose{1}));
  EXPECT_EQ(carrier_.Said(), "close ");
  EXPECT_EQ(stream->Read(Now()).value(), "");
}

TEST_F(ForwardStreamsTest, WhatCameBeforeABreakIsReadFirst) {
  const auto stream = Connected();
  ASSERT_TRUE(streams_->On(ForwardData{1, "last words"}));
  ASSERT_TRUE(streams_->On(ForwardClose{1, ForwardClose::Reason::kModelEnded}));
  EXPECT_EQ(stream->Read(Now()).value(), "last words");
  const auto over = stream->Read(Now());
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().message(), "the model ended, and its port 6000 of the container with it");
  EXPECT_EQ(stream->Write("x", Now()).error().code(), ErrorCode::kUnavailable);
}

TEST_F(ForwardStreamsTest, ClosingWakesWhoeverWaits) {
  const auto stream = Connected();
  auto reading = std::async(std::launch::async, [&] { return stream->Read(Soon()); });
  stream->Close();
  EXPECT_EQ(reading.get().error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(stream->Write("x", Now()).error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(carrier_.Said(), "close ");
}

TEST_F(ForwardStreamsTest, TheLinksEndEndsEverything) {
  const auto stream = Connected();
  auto reading = std::async(std::launch::async, [&] { return stream->Read(Soon()); });
  streams_->End(Unavailable("the agent closed its connection"));
  EXPECT_EQ(reading.get().error().message(), "the agent closed its connection");
  EXPECT_EQ(CarriedStream::Open(streams_, 6000, Soon()).error().code(), ErrorCode::kUnavailable);
  stream->Close();  // says nothing to a link that is gone
  EXPECT_EQ(carrier_.Said(), "");
}

TEST_F(ForwardStreamsTest, WordsThatNothingAskedForBreakTheProtocol) {
  const std::vector<ForwardMessage> unasked = {ForwardOpen{1, 80}, ForwardData{1, "x"},
                                               ForwardCredit{1, 1}, ForwardEnd{1}, ForwardClose{1}};
  for (const ForwardMessage& message : unasked) {
    const auto broken = streams_->On(message);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code(), ErrorCode::kInvalidArgument);
  }
  auto opening = Opening();
  EXPECT_FALSE(streams_->On(ForwardData{1, "before it is connected"}));
  EXPECT_FALSE(streams_->On(ForwardEnd{1}));
  EXPECT_TRUE(streams_->On(ForwardCredit{1, kForwardWindow}));
  EXPECT_FALSE(streams_->On(ForwardCredit{1, 1}));
  EXPECT_TRUE(streams_->On(ForwardEnd{1}));
  EXPECT_FALSE(streams_->On(ForwardEnd{1}));
  EXPECT_FALSE(streams_->On(ForwardData{1, "behind its end"}));
  EXPECT_TRUE(streams_->On(ForwardClose{1}));
  EXPECT_FALSE(streams_->On(ForwardClose{1}));
  (void)opening.get();
}

TEST_F(ForwardStreamsTest, BytesBeyondTheCreditBreakTheProtocolAlsoOnceClosed) {
  const auto stream = Connected();
  stream->Close();
  const std::string piece(agent_protocol::kMaxForwardData, 'x');
  for (std::size_t sent = 0; sent < kForwardWindow; sent += piece.size()) {
    ASSERT_TRUE(streams_->On(ForwardData{1, piece}));
  }
  EXPECT_FALSE(streams_->On(ForwardData{1, "x"}));
}

}  // namespace
}  // namespace mlprof::server
