#include <gmock/gmock.h>

#include "common/http/server.h"
#include "tests/common/http/server_fixture.h"

namespace mlprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr char kRequest[] = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::chrono::seconds kPatience{5};

/// The stream of the request just sent, and the news of its end.
#define AWAIT_STREAM()              \
  stream_made_.get_future().wait(); \
  auto stream = stream_.lock();     \
  ASSERT_TRUE(stream);              \
  auto gone = stream->Gone()

TEST_F(HttpServerTest, StreamsInChunksAsTheyCome) {
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  const std::string head = client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(head, HasSubstr("text/event-stream"));
  AWAIT_STREAM();
  stream->Say("data: 1\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n\r\n"), "9\r\ndata: 1\n\n\r\n");
  stream->Say("data: 2\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n\r\n"), "9\r\ndata: 2\n\n\r\n");
  stream->Say("x");
  stream->End();
  stream.reset();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("1\r\nx\r\n0\r\n\r\n"));
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, StreamsUntilTheEndToHttp10) {
  StartServer();
  RawClient client = Connect();
  client.Send("GET /stream HTTP/1.0\r\n\r\n");
  AWAIT_STREAM();
  stream->Say("data");
  stream->End();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("Connection: close\r\n\r\ndata"));
}

TEST_F(HttpServerTest, LetsGoOfAStreamWhoseClientVanished) {
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  client.ReadUntil("\r\n\r\n");
  AWAIT_STREAM();
  client.Vanish();
  stream.reset();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, LetsGoOfAStreamWhoseClientReadsNothing) {
  options_.write_timeout = std::chrono::milliseconds(20);
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  AWAIT_STREAM();
  stream->Say(std::string(16 << 20, 'x'));
  stream.reset();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, EndsStreamsAtOnceWhenItStops) {
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  client.ReadUntil("\r\n\r\n");
  AWAIT_STREAM();
  server_->Stop(kPatience);
  EXPECT_EQ(client.ReadToEnd(), "");
  stream->Say("nobody listens");  // and nothing happens
  stream.reset();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

/// Its Read waits, as for a disk, until a test lets it give a piece.
class WaitingStream : public BodyStream {
 public:
  explicit WaitingStream(std::string piece) : piece_(std::move(piece)) {}
  ~WaitingStream() override { gone.set_value(); }
  std::optional<std::string> Read() override {
    if (++reads == 1) began.set_value();
    go_on.wait();
    return piece_;
  }
  void OnReady(std::function<void()>) override {}

  std::promise<void> began;
  std::promise<void> let;
  std::shared_future<void> go_on = let.get_future().share();
  std::promise<void> gone;
  std::atomic<int> reads = 0;

 private:
  const std::string piece_;
};

/// Responds with `stream`, once.
HttpHandler Once(std::shared_ptr<WaitingStream>& stream) {
  return [&stream](const HttpRequest&) {
    HttpResponse response;
    response.body = std::shared_ptr<BodyStream>(std::exchange(stream, nullptr));
    return response;
  };
}
constexpr char kWaiting[] = "GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_F(HttpServerTest, RespondsWhileAStreamWaitsForADisk) {
  auto stream = std::make_shared<WaitingStream>("piece");
  const auto began = stream->began.get_future().share();
  auto& let = stream->let;
  const auto kept = stream;
  AddRoute("GET", "/waiting", Once(stream));
  StartServer();
  RawClient client = Connect();
  client.Send(kWaiting);
  began.wait();
  EXPECT_THAT(ResponseTo("GET /text HTTP/1.1\r\nHost: a\r\n\r\n"), EndsWith("text"));
  let.set_value();
  EXPECT_THAT(client.ReadUntil("piece"), EndsWith("piece"));
}

TEST_F(HttpServerTest, LetsGoOfAStreamWhoseClientVanishedWhileItWasRead) {
  auto stream = std::make_shared<WaitingStream>("");
  const auto began = stream->began.get_future().share();
  auto gone = stream->gone.get_future();
  const auto let = std::make_shared<std::promise<void>>(std::move(stream->let));
  AddRoute("GET", "/waiting", Once(stream));
  StartServer();
  RawClient client = Connect();
  client.Send(kWaiting);
  began.wait();
  client.Vanish();
  let->set_value();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, ReadsAStreamNoFurtherThanItsClientTakes) {
  constexpr std::size_t kPiece = 64 << 10;
  constexpr std::size_t kMostInSockets = 64 << 20;
  options_.write_timeout = std::chrono::milliseconds(100);
  auto stream = std::make_shared<WaitingStream>(std::string(kPiece, 'x'));
  stream->let.set_value();
  const auto kept = stream;
  std::atomic<bool> ended = false;
  std::promise<void> served;
  hooks_.served = [&](const auto&, const auto&, int, double) {
    if (!ended.exchange(true)) served.set_value();
  };
  AddRoute("GET", "/waiting", Once(stream));
  StartServer();
  RawClient client = Connect();
  client.Send(kWaiting);
  EXPECT_EQ(served.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_LT(static_cast<std::size_t>(kept->reads) * kPiece, kMostInSockets);
}

TEST_F(HttpServerTest, LetsGoOfAStreamThatHeadDoesNotWant) {
  StartServer();
  RawClient client = Connect();
  client.Send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("\r\n\r\n"));
  EXPECT_TRUE(stream_.expired());
}

}  // namespace
}  // namespace mlprof
